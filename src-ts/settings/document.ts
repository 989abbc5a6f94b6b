/**
 * Changes one setting in the text of a settings file and nothing else: whitespace, order and what pi-zip does not know stay
 * as somebody wrote them. A text that is no JSON object is refused, since nobody can say what it was to hold.
 */

import { isRecord } from "../content.ts";
import { withoutMark } from "../settings-file.ts";

interface Member {
	readonly name: string;
	/** Where the name begins, and the span of the value. */
	readonly start: number;
	readonly from: number;
	readonly to: number;
}

/** `value` undefined takes the setting away. `text` undefined: there is no file yet. Throws where the text is no object. */
export function changed(text: string | undefined, path: readonly string[], value: unknown): string {
	const whole = text ?? "{}\n";
	const before = withoutMark(whole);
	const mark = whole.slice(0, whole.length - before.length);
	if (!isObject(before)) throw new Error("is no JSON object: nothing was written. Mend it by hand first");
	const after = setIn(before, path, value, "");
	if (!isObject(after)) throw new Error("could not be changed: nothing was written");
	return mark + after;
}

function isObject(text: string): boolean {
	try {
		return isRecord(JSON.parse(text));
	} catch {
		return false;
	}
}

/** `margin` is the indentation of the line that the object begins in. */
function setIn(text: string, [name = "", ...rest]: readonly string[], value: unknown, margin: string): string {
	const all = membersOf(text);
	// Of a name that stands there twice the last counts.
	const member = all.findLast((one) => one.name === name);
	const indent = indentOf(text, all[0]);
	if (rest.length > 0) {
		const inner = member && text.slice(member.from, member.to);
		if (inner !== undefined && isObject(inner)) {
			return splice(text, member!.from, member!.to, setIn(inner, rest, value, indent ?? margin));
		}
		if (value === undefined) return text;
		value = rest.reduceRight((held: unknown, key) => ({ [key]: held }), value);
	}
	if (value === undefined) return member ? setIn(without(text, all, member), [name], undefined, margin) : text;
	const step = indent?.slice(margin.length) || "\t";
	const line = indent ?? (all.length === 0 ? `${margin}${step}` : undefined);
	const written = (JSON.stringify(value, null, line === undefined ? undefined : step) ?? "null").replaceAll(
		"\n",
		`\n${line ?? ""}`,
	);
	if (member) return splice(text, member.from, member.to, written);
	const named = `${JSON.stringify(name)}: ${written}`;
	const last = all.at(-1);
	if (last) return splice(text, last.to, last.to, line === undefined ? `, ${named}` : `,\n${line}${named}`);
	const [open, close] = [text.indexOf("{"), text.lastIndexOf("}")];
	return splice(text, open, close + 1, `{\n${line}${named}\n${margin}}`);
}

function without(text: string, all: readonly Member[], member: Member): string {
	const at = all.indexOf(member);
	const next = all[at + 1];
	if (next) return splice(text, member.start, next.start, "");
	const before = all[at - 1];
	if (before) return splice(text, before.to, member.to, "");
	return splice(text, text.indexOf("{") + 1, text.lastIndexOf("}"), "");
}

function splice(text: string, from: number, to: number, put: string): string {
	return text.slice(0, from) + put + text.slice(to);
}

/** What stands in front of a member that begins its line; undefined where it does not. */
function indentOf(text: string, member: Member | undefined): string | undefined {
	return member && /\n([\t ]*)$/.exec(text.slice(0, member.start))?.[1];
}

/** The members of the object that `text` holds; it is known to be JSON. */
function membersOf(text: string): Member[] {
	const all: Member[] = [];
	let at = skip(text, text.indexOf("{") + 1);
	while (text[at] === '"') {
		const start = at;
		const nameEnd = endOf(text, at);
		const from = skip(text, skip(text, nameEnd) + 1);
		const to = endOf(text, from);
		all.push({ name: JSON.parse(text.slice(start, nameEnd)) as string, start, from, to });
		at = skip(text, to);
		if (text[at] === ",") at = skip(text, at + 1);
	}
	return all;
}

function skip(text: string, at: number): number {
	while (/\s/.test(text[at] ?? "")) at += 1;
	return at;
}

/** The end of the value that begins at `at`. */
function endOf(text: string, at: number): number {
	let depth = 0;
	do {
		const unit = text[at];
		if (unit === '"') {
			for (at += 1; text[at] !== '"'; at += 1) if (text[at] === "\\") at += 1;
			at += 1;
		} else if (unit === "{" || unit === "[") {
			depth += 1;
			at += 1;
		} else if (unit === "}" || unit === "]") {
			depth -= 1;
			at += 1;
		} else if (depth === 0) {
			while (/[^\s,\]}]/.test(text[at] ?? ",")) at += 1;
		} else at += 1;
	} while (depth > 0);
	return at;
}
