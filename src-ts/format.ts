/**
 * Numbers as people read them in a terminal: the same everywhere, with no locale in them.
 */

/** What stands for a number that is none, such as a sum of senseless reports. */
const UNKNOWN = "?";

/** Dollars from which on cents say nothing. */
const THOUSANDS = 9_999.995;

/** Tokens: `640`, `8.4K`, `84K`, `1.2M`, `3.4G`. */
export function tokens(count: number): string {
	if (!Number.isFinite(count)) return UNKNOWN;
	if (count < 1_000) return String(Math.round(count));
	if (count < 9_950) return `${(count / 1_000).toFixed(1)}K`;
	if (count < 999_500) return `${Math.round(count / 1_000)}K`;
	if (count < 99_950_000) return `${(count / 1_000_000).toFixed(1)}M`;
	if (count < 999_500_000) return `${Math.round(count / 1_000_000)}M`;
	return `${(count / 1_000_000_000).toFixed(1)}G`;
}

/** A time span in milliseconds: `45 s`, `12 min`, `3.5 h`, `2 d`. */
export function span(millis: number): string {
	const seconds = Math.max(0, millis) / 1_000;
	if (seconds < 99.5) return `${Math.round(seconds)} s`;
	const minutes = seconds / 60;
	if (minutes < 99.5) return `${Math.round(minutes)} min`;
	const hours = minutes / 60;
	if (hours < 47.5) return `${Number(hours.toFixed(1))} h`;
	return `${Math.round(hours / 24)} d`;
}

/** Dollars with a sign: `$0.42`, `-$0.0030`, `$12K`. */
export function dollars(amount: number): string {
	const size = Math.abs(amount);
	const digits = size >= 0.1 ? 2 : 4;
	return `${amount < 0 ? "-" : ""}$${size < THOUSANDS ? size.toFixed(digits) : tokens(size)}`;
}

export function count(number: number, singular: string, plural = `${singular}s`): string {
	return `${number} ${number === 1 ? singular : plural}`;
}
