/** Texts of rows: JSON objects line by line, and tables whose first line names their columns. */

import { keysOf } from "./json.ts";
import { listed } from "./lines.ts";

/** Rows of JSON whose keys are gathered. */
const ROWS_READ = 50;
/** Units of the list of columns. */
const LIST_UNITS = 160;
/** Part of the rows that must have as many columns as the first line. */
const MOST = 0.9;
/** Fewer rows are no table. */
const LEAST_ROWS = 4;
const MOST_COLUMNS = 100;
const COLUMN_UNITS = 40;

/** Whether a line begins as an object of its own. */
export function isRow(line: string): boolean {
	return /^\{\s*"/.test(line);
}

export function rowsLine(text: string): string {
	const keys = new Set<string>();
	let rows = 0;
	for (const [start, end] of rowsOf(text)) {
		rows += 1;
		if (rows <= ROWS_READ) for (const key of keysOf(text.slice(start, end))) keys.add(key);
	}
	return `JSON lines: ${rows} rows of ${listed(keys, LIST_UNITS)}`;
}

function* rowsOf(text: string): Generator<[number, number]> {
	for (let start = 0; start < text.length; ) {
		const feed = text.indexOf("\n", start);
		const end = feed < 0 ? text.length : feed;
		if (end > start && text.slice(start, Math.min(end, start + 80)).trim() !== "") yield [start, end];
		start = end + 1;
	}
}

export interface Columns {
	readonly kind: string;
	readonly names: readonly string[];
	/** Lines that are no rows: the header, and what rules it off. */
	readonly above: number;
}

const SEPARATORS = [
	{ kind: "tab-separated table", mark: "\t" },
	{ kind: "table", mark: "|" },
	{ kind: "CSV", mark: "," },
	{ kind: "CSV", mark: ";" },
];
const RULE = /^[\s|+:=-]+$/;

/** The columns of a table by its first lines; undefined where they are none. */
export function columnsOf(sample: readonly string[]): Columns | undefined {
	const lines = sample.filter((line) => line.trim() !== "");
	const [header = "", ...rest] = lines;
	const rows = rest.filter((line) => !RULE.test(line));
	if (rows.length < LEAST_ROWS) return undefined;
	const above = 1 + (RULE.test(rest[0] ?? "") ? 1 : 0);
	for (const { kind, mark } of SEPARATORS) {
		const names = cellsOf(header, mark);
		const isHeader = names.length > 1 && names.length <= MOST_COLUMNS && names.every(isName);
		if (!isHeader) continue;
		const alike = rows.filter((row) => cellsOf(row, mark).length === names.length).length;
		if (alike >= MOST * rows.length) return { kind, names, above };
	}
	return alignedColumns(header, rows, above);
}

/** Columns by their places, as `ps` and the like write them: names in capitals, each above what it names. */
function alignedColumns(header: string, rows: readonly string[], above: number): Columns | undefined {
	if (!/^\s*[A-Z][A-Z0-9_%#()/-]+(?:\s+[A-Z][A-Z0-9_%#()/-]*){2,}\s*$/.test(header)) return undefined;
	const names = header.trim().split(/\s+/);
	const wide = rows.filter((row) => row.trim().split(/\s+/).length >= names.length - 1).length;
	return wide >= MOST * rows.length ? { kind: "table", names, above } : undefined;
}

function cellsOf(line: string, mark: string): string[] {
	const bare = mark === "|" ? line.trim().replace(/^\||\|$/g, "") : line;
	// What is quoted may hold the mark. The line was cut to a bounded length.
	const cells = (bare.includes('"') ? bare.replace(/"[^"]*"/g, (quoted) => quoted.replaceAll(mark, " ")) : bare).split(
		mark,
	);
	return cells.map((cell) => cell.trim().replace(/^"(.*)"$/, "$1"));
}

/** A column is named by words, not by what it holds. */
function isName(cell: string): boolean {
	return (
		cell.length > 0 && cell.length <= COLUMN_UNITS && /^[\p{L}_#%$@(]/u.test(cell) && !/[{}=;]|\(\)|[.!?]$/.test(cell)
	);
}

/** `filled` lines hold something. */
export function tableLine({ kind, names, above }: Columns, filled: number): string {
	return `${kind}: ${Math.max(0, filled - above)} rows of ${listed(names, LIST_UNITS)}`;
}
