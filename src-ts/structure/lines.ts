/** Lines of a text for rules that look at their beginnings, and lists that are cut where they grow too long. */

/** Units of a line that rules look at. */
const LOOKED_AT = 240;
/** Units of one name in a list. */
const NAME_UNITS = 40;

/** The beginning of each line, without its line end. */
export function* linesOf(text: string): Generator<string> {
	for (let start = 0; start < text.length; ) {
		const feed = text.indexOf("\n", start);
		const end = feed < 0 ? text.length : feed;
		const line = text.slice(start, Math.min(end, start + LOOKED_AT));
		yield line.endsWith("\r") ? line.slice(0, -1) : line;
		start = end + 1;
	}
}

/** Lines of a text that hold something. */
export function filledLines(text: string): number {
	let count = 0;
	for (const line of linesOf(text)) if (line.trim() !== "") count += 1;
	return count;
}

/** As many of `names` as fit into `most` units, joined; of the others, beside `more` that are not there, the number. */
export function listed(names: Iterable<string>, most: number, more = 0): string {
	let list = "";
	let left = more;
	for (const name of names) {
		const short = name.length > NAME_UNITS ? `${name.slice(0, NAME_UNITS - 1)}…` : name;
		const longer = list === "" ? short : `${list}, ${short}`;
		if (left > more || longer.length > most) left += 1;
		else list = longer;
	}
	if (left === 0) return list;
	return list === "" ? `${left}` : `${list}, ${left} more`;
}
