/**
 * Text as HTML. All text of a session goes through here: nothing of it is ever markup.
 */

import { printable } from "../printable.ts";

const ENTITIES: Readonly<Record<string, string>> = {
	"&": "&amp;",
	"<": "&lt;",
	">": "&gt;",
	'"': "&quot;",
	"'": "&#39;",
	"`": "&#96;",
};

/** Fit for text and for a quoted attribute. */
export function escaped(text: string): string {
	return printable(text).replace(/[&<>"'`]/g, (character) => ENTITIES[character]!);
}

/** A tag with attributes; `undefined` leaves an attribute out. Content is markup already. */
export function tag(
	name: string,
	attributes: Readonly<Record<string, string | number | undefined>>,
	content?: string,
): string {
	const written = Object.entries(attributes).flatMap(([key, value]) =>
		value === undefined ? [] : [` ${key}="${typeof value === "number" ? short(value) : escaped(value)}"`],
	);
	return `<${name}${written.join("")}${content === undefined ? "/>" : `>${content}</${name}>`}`;
}

/** A coordinate: a tenth of a unit is finer than a screen. */
export function short(value: number): string {
	return String(Math.round(value * 10) / 10);
}
