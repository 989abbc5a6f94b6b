/** Texts that are read from top to bottom: Markdown by its headings, logs by their levels, diffs by their files. */

import { linesOf, listed } from "./lines.ts";

const LIST_UNITS = 160;
const DEEPEST = 6;
/** Headings that are kept; more are counted. */
const MOST_HEADINGS = 400;

/** A heading of Markdown, `## ` and the like. */
export function headingOf(line: string): { level: number; text: string } | undefined {
	const found = /^(#{1,6}) +(\S.*)$/.exec(line);
	return found ? { level: found[1]!.length, text: found[2]!.replace(/\s*#*\s*$/, "") } : undefined;
}

/** Of the headings the outer levels, as many as fit whole; else the outermost as far as they go. */
export function markdownLine(text: string): string {
	let count = 0;
	const headings: { level: number; text: string }[] = [];
	let fence = "";
	for (const line of linesOf(text)) {
		const mark = /^\s{0,3}(```|~~~)/.exec(line)?.[1];
		if (mark && (fence === "" || fence === mark)) fence = fence === "" ? mark : "";
		else if (fence === "") {
			const heading = headingOf(line);
			if (!heading) continue;
			count += 1;
			if (headings.length < MOST_HEADINGS) headings.push(heading);
		}
	}
	let shown: string[] = [];
	for (let level = 1; level <= DEEPEST; level += 1) {
		const outer = [...new Set(headings.filter((heading) => heading.level <= level).map(({ text }) => text))];
		// A title alone says too little.
		if (shown.length > 1 && outer.length > shown.length && outer.join(", ").length > LIST_UNITS) break;
		shown = outer;
	}
	return `Markdown, ${count} headings: ${listed(shown, LIST_UNITS, count - shown.length)}`;
}

const LEVELS = ["FATAL", "ERROR", "WARN", "INFO", "DEBUG", "TRACE"] as const;
type Level = (typeof LEVELS)[number];
const NAMES: { readonly [name: string]: Level } = {
	FATAL: "FATAL",
	CRITICAL: "FATAL",
	PANIC: "FATAL",
	ERROR: "ERROR",
	ERR: "ERROR",
	SEVERE: "ERROR",
	WARN: "WARN",
	WARNING: "WARN",
	INFO: "INFO",
	NOTICE: "INFO",
	DEBUG: "DEBUG",
	TRACE: "TRACE",
};
const NAME = "FATAL|CRITICAL|PANIC|ERROR|ERR|SEVERE|WARNING|WARN|INFO|NOTICE|DEBUG|TRACE";
/** In capitals anywhere near the front; in small letters only as logs write it: in brackets, or named a level. */
const LEVEL = new RegExp(`\\b(${NAME})\\b|(?:\\[|level["']?[=:]\\s*["']?)(${NAME.toLowerCase()})\\b`);
/** Units in front of a line in which its level stands. */
const FRONT = 100;
const TIME = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?|\b\d\d:\d\d:\d\d\b/;

/** The level of a line of a log. */
export function levelOf(line: string): Level | undefined {
	const found = LEVEL.exec(line.slice(0, FRONT));
	return found ? NAMES[(found[1] ?? found[2] ?? "").toUpperCase()] : undefined;
}

export function logLine(text: string): string {
	const counts = new Map<Level, number>();
	let lines = 0;
	let first: string | undefined;
	let last: string | undefined;
	for (const line of linesOf(text)) {
		lines += 1;
		const level = levelOf(line);
		if (level) counts.set(level, (counts.get(level) ?? 0) + 1);
		const time = TIME.exec(line.slice(0, 60))?.[0];
		first ??= time;
		last = time ?? last;
	}
	const levels = LEVELS.filter((level) => counts.has(level)).map((level) => `${level} ${counts.get(level)}`);
	const span = first && last && first !== last ? `; ${first} to ${last}` : "";
	return `log, ${lines} lines: ${levels.join(", ")}${span}`;
}

/** Whether a line opens a hunk of a diff. */
export function hunkOf(line: string): true | undefined {
	return /^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@/.test(line) || undefined;
}

/** The files of a diff, each with the lines that it gains and loses. */
export function diffLine(text: string): string {
	const files: { name: string; gained: number; lost: number }[] = [];
	let before = "";
	let inHunk = false;
	for (const line of linesOf(text)) {
		const file = files.at(-1);
		if (/^diff --git /.test(line)) {
			inHunk = false;
			files.push({ name: gitName(line), gained: 0, lost: 0 });
		} else if (!inHunk && line.startsWith("--- ")) before = nameIn(line);
		else if (!inHunk && line.startsWith("+++ ")) {
			const after = nameIn(line);
			const name = after === "/dev/null" ? before : after;
			if (!file || file.gained + file.lost > 0 || file.name !== name) {
				// A header of its own belongs to the same file.
				if (file && file.gained + file.lost === 0 && before !== "") file.name = name;
				else files.push({ name, gained: 0, lost: 0 });
			}
		} else if (hunkOf(line)) inHunk = true;
		else if (inHunk && line.startsWith("+") && file) file.gained += 1;
		else if (inHunk && line.startsWith("-") && file) {
			// Without `diff` in front the next file's header follows the last hunk.
			if (/^--- (?:a\/|\/dev\/null|\S+\t)/.test(line)) {
				before = nameIn(line);
				inHunk = false;
			} else file.lost += 1;
		}
	}
	const shown = files.map(({ name, gained, lost }) => `${shortName(name)} +${gained} -${lost}`);
	return `diff, ${files.length} ${files.length === 1 ? "file" : "files"}: ${listed(shown, LIST_UNITS)}`;
}

/** Units of a file's name. Its end says most. */
const NAME_UNITS = 28;

function shortName(name: string): string {
	return name.length > NAME_UNITS ? `…${name.slice(1 - NAME_UNITS)}` : name;
}

function gitName(line: string): string {
	return / b\/(.*)$/.exec(line)?.[1] ?? line.slice("diff --git ".length);
}

function nameIn(line: string): string {
	return line
		.slice(4)
		.split("\t")[0]!
		.replace(/^[ab]\//, "");
}
