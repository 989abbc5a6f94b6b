/**
 * Numbers as people read them in a terminal: the same everywhere, with no locale in them.
 */

/** Tokens: `640`, `8.4K`, `84K`, `1.2M`. */
export function tokens(count: number): string {
	if (count < 1_000) return String(Math.round(count));
	if (count < 9_950) return `${(count / 1_000).toFixed(1)}K`;
	if (count < 999_500) return `${Math.round(count / 1_000)}K`;
	return `${(count / 1_000_000).toFixed(1)}M`;
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

/** Dollars with a sign: `$0.42`, `-$0.003`. */
export function dollars(amount: number): string {
	const digits = Math.abs(amount) >= 0.1 ? 2 : 4;
	return `${amount < 0 ? "-" : ""}$${Math.abs(amount).toFixed(digits)}`;
}

export function count(number: number, singular: string, plural = `${singular}s`): string {
	return `${number} ${number === 1 ? singular : plural}`;
}
