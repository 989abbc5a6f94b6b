/**
 * What a long text is made of, in one line and by rule: code names its top-level declarations, JSON its shape, rows of
 * JSON and tables their columns, Markdown its headings, logs their levels and counts, diffs their files.
 *
 * Decided by the text alone, so it is the same wherever the text is seen. What kind it is shows in its first lines; only
 * what that kind calls for is then read of the rest, in one pass. No parser: of a text that is cut off or broken it says
 * what is there. A text of no such kind gets no line.
 */

import { codeLine, isDeclaration } from "./structure/code.ts";
import { isJson, jsonLine } from "./structure/json.ts";
import { filledLines, linesOf } from "./structure/lines.ts";
import { diffLine, headingOf, hunkOf, levelOf, logLine, markdownLine } from "./structure/prose.ts";
import { columnsOf, isRow, rowsLine, tableLine } from "./structure/rows.ts";

/** Longest line, in UTF-16 units. */
export const STRUCTURE_UNITS = 200;

/** Lines by which a kind is told. */
const SAMPLE = 400;
/** Parts of the sample that must look like it. */
const MOST_ROWS = 0.9;
const MOST_OF_A_DIFF = 0.6;
const MOST_OF_A_LOG = 0.3;
/** Fewer lines of a kind may be there by chance. */
const FEW = 3;

/** At most `STRUCTURE_UNITS`, without control characters and half pairs; empty where there is nothing to say. */
export function structureOf(text: string): string {
	return fit(describe(text));
}

function describe(text: string): string {
	const sample: string[] = [];
	let inFence = false;
	const found = { filled: 0, rows: 0, diff: 0, hunks: 0, levels: 0, headings: 0, sections: 0, declarations: 0 };
	for (const line of linesOf(text)) {
		if (sample.push(line) > SAMPLE) break;
		if (line.trim() === "") continue;
		found.filled += 1;
		if (isRow(line)) found.rows += 1;
		if (hunkOf(line) !== undefined) found.hunks += 1;
		if (/^(?:[-+ @\\]|diff |index |commit )/.test(line)) found.diff += 1;
		if (levelOf(line) !== undefined) found.levels += 1;
		if (/^\s{0,3}(?:```|~~~)/.test(line)) inFence = !inFence;
		else if (!inFence) {
			const heading = headingOf(line);
			if (heading) found.headings += 1;
			if (heading && heading.level > 1) found.sections += 1;
			if (isDeclaration(line)) found.declarations += 1;
		}
	}
	const { filled } = found;
	if (found.rows >= FEW && found.rows >= MOST_ROWS * filled) return rowsLine(text);
	if (isJson(text)) return jsonLine(text);
	if (found.hunks > 0 && found.diff >= MOST_OF_A_DIFF * filled) return diffLine(text);
	if (found.levels >= FEW && found.levels >= MOST_OF_A_LOG * filled) return logLine(text);
	const columns = columnsOf(sample);
	if (columns) return tableLine(columns, filledLines(text));
	// Comments of many languages begin as headings do, and Markdown may hold code.
	if (found.headings >= FEW && found.sections > 0 && found.headings > found.declarations) return markdownLine(text);
	return found.declarations > 0 ? codeLine(text) : "";
}

/** Whether a text speaks as our placeholders do. */
const OURS = /folded by pi-zip|zip_recall|handle [0-9a-z]{10}/;
/** What a character beyond ASCII counts for: about a token, where three others make one. */
const WIDE = 3;

/** The line in printable characters, cut to its bound. */
function fit(line: string): string {
	const flat = line.replace(/[\p{C}\p{Z}\ufffd]+/gu, " ").trim();
	if (OURS.test(flat)) return "";
	let [end, room] = [0, STRUCTURE_UNITS];
	for (const character of flat) {
		room -= character > "~" ? WIDE : 1;
		if (room < WIDE) return `${flat.slice(0, end)}…`;
		end += character.length;
	}
	return flat;
}

/** The fewest characters for one of original that a placeholder with the line may save. */
const CLEARLY_SMALLER = 6;

/** A placeholder with the line of its original behind its first line. */
export function withStructure(placeholder: string, original: string): string {
	const structure = structureOf(original);
	const end = placeholder.indexOf("\n");
	if (structure === "" || end < 0) return placeholder;
	const told = `${placeholder.slice(0, end)}\n[${structure}]${placeholder.slice(end)}`;
	return told.length * CLEARLY_SMALLER > original.length ? placeholder : told;
}
