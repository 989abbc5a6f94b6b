/**
 * Text of a session on a terminal: no character of it is obeyed.
 */

/** Control characters, line separators, and marks that reverse the direction of what follows. */
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const UNSAFE_BUT_LINES = /(?![\n\t])[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** On one line; each character that a terminal would obey becomes U+FFFD. */
export function printable(text: string): string {
	return text.toWellFormed().replace(UNSAFE, "\ufffd");
}

/** The same with line feeds and tabs left. */
export function printableLines(text: string): string {
	return text.toWellFormed().replace(UNSAFE_BUT_LINES, "\ufffd");
}

/** JSON in which no character is left that a terminal would obey; it means the same. */
export function printableJson(value: unknown, indent = ""): string {
	const escaped = (character: string) => `\\u${character.codePointAt(0)!.toString(16).padStart(4, "0")}`;
	return JSON.stringify(value, null, indent).replace(UNSAFE_BUT_LINES, escaped);
}
