/**
 * What a reader found, checked: each quote is looked for in the original that it is said to be from. One that stands there
 * gets its line's number, one that does not is dropped, and the answer says so. What a reader says in its own words is
 * not checked.
 */

/** An original as the reader was shown it: whole, secrets aside. */
export interface Shown {
	readonly handle: string;
	readonly text: string;
}

export interface Findings {
	/** What the reader wrote, each quote as `> HANDLE LINE| text`. */
	readonly text: string;
	readonly quotes: number;
	readonly dropped: number;
}

/** UTF-16 units of findings that are returned. */
const MOST_UNITS = 12_000;

/** A quote in the form that is asked for, or near it. */
const QUOTE =
	/^\s*>+\s*(?:(?:handle\s+)?([0-9a-z]{10}(?:\.\d{1,5})?(?:@[0-9a-z]{1,40})?)\b[\s:,]*)?(?:lines?\s*|l)?(\d+)\s*[|:]\s?(.*)$/i;
const ANY_QUOTE = /^\s*>+\s?(.*)$/;
const DROPPED = "> [a quote that stands in no original was dropped]";

export function checked(written: string, originals: readonly Shown[]): Findings {
	const lines = originals.map(({ text }) => text.split("\n"));
	const rows: string[] = [];
	const counts = { quotes: 0, dropped: 0 };
	let units = 0;
	for (const row of written.trim().split("\n")) {
		const quote = readQuote(row);
		const checkedRow = quote ? check(quote, originals, lines) : row;
		if (checkedRow === "") continue;
		if (quote) counts[checkedRow === DROPPED ? "dropped" : "quotes"] += 1;
		// One note stands for a run of dropped quotes.
		if (checkedRow === DROPPED && rows.at(-1) === DROPPED) continue;
		units += checkedRow.length + 1;
		if (units > MOST_UNITS) {
			rows.push("[cut here]");
			break;
		}
		rows.push(checkedRow);
	}
	return { text: rows.join("\n"), ...counts };
}

interface Quote {
	readonly handle: string | undefined;
	readonly line: number | undefined;
	/** As it may stand: with and without blanks at its ends. */
	readonly text: string;
}

function readQuote(row: string): Quote | undefined {
	const [match, handle, line, text = ""] = QUOTE.exec(row) ?? [];
	if (match !== undefined) return { handle: handle?.toLowerCase(), line: Number(line), text: text.replace(/\r$/, "") };
	const [, bare] = ANY_QUOTE.exec(row) ?? [];
	return bare === undefined ? undefined : { handle: undefined, line: undefined, text: bare };
}

/** The quote as it is returned; nothing where it is blank. */
function check(quote: Quote, originals: readonly Shown[], lines: readonly string[][]): string {
	if (quote.text.trim() === "") return "";
	// That of its handle first: others may hold the same line.
	const order = [...originals.keys()].sort(
		(one, other) => Number(originals[other]?.handle === quote.handle) - Number(originals[one]?.handle === quote.handle),
	);
	// Most that stand nowhere are told without a look at each line.
	const bare = quote.text.trim();
	if (!originals.some(({ text }) => text.includes(bare))) return DROPPED;
	for (const text of [quote.text, bare]) {
		for (const index of order) {
			const at = nearest(lines[index] ?? [], text, quote.line ?? 1);
			if (at !== undefined) return `> ${originals[index]?.handle} ${at}| ${text}`;
		}
	}
	return DROPPED;
}

/** One-based number of the line nearest to `line` that holds `text`. */
function nearest(lines: readonly string[], text: string, line: number): number | undefined {
	if (lines[line - 1]?.includes(text)) return line;
	let best: number | undefined;
	for (const [index, one] of lines.entries()) {
		const number = index + 1;
		if (best !== undefined && Math.abs(number - line) >= Math.abs(best - line)) continue;
		if (one.includes(text)) best = number;
	}
	return best;
}
