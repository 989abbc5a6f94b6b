/**
 * The texts of entries that a summary quotes, as the core counts them: see `wire-entries.ts`, which tells it their lengths.
 *
 * Session files come from many hands, so what is not there is empty.
 */

import { callsOf, isRecord, messageOf, stringOf, textOf } from "../content.ts";

/** What of an entry is quoted: its message's text, a summary's text, a command of the user. */
export function quotedText(entry: unknown): string {
	if (!isRecord(entry)) return "";
	if (entry.type === "compaction" || entry.type === "branch_summary") return stringOf(entry.summary);
	const message = messageOf(entry);
	return message.role === "bashExecution" ? stringOf(message.command) : textOf(message.content);
}

/** The value of an argument of the call at a place among the calls of an answer. */
export function argumentText(entry: unknown, call: number, name: string): string {
	const block = callsOf(messageOf(entry))[call];
	const value = isRecord(block?.arguments) ? block.arguments[name] : undefined;
	return typeof value === "string" ? value : value === undefined ? "" : String(value);
}

/** `text` from `start` to `end` in UTF-16 units, both moved inwards where they would halve a pair. */
export function sliceWhole(text: string, start: number, end: number): string {
	const from = isSecondOfPair(text, start) ? start + 1 : start;
	const to = isSecondOfPair(text, end) ? end - 1 : end;
	return text.slice(from, Math.max(from, to));
}

function isSecondOfPair(text: string, at: number): boolean {
	return at > 0 && at < text.length && isHigh(text.charCodeAt(at - 1)) && isLow(text.charCodeAt(at));
}

function isHigh(unit: number): boolean {
	return unit >= 0xd800 && unit < 0xdc00;
}

function isLow(unit: number): boolean {
	return unit >= 0xdc00 && unit < 0xe000;
}
