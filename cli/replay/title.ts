/**
 * What a session is called in a table: when it began, and in which folder.
 */

import { basename } from "node:path";

const LINE_FEED = 10;

export function titleOf(bytes: Uint8Array, path: string): string {
	const header = headerOf(bytes);
	const began = new Date(typeof header.timestamp === "string" ? header.timestamp : Number.NaN);
	const cwd = typeof header.cwd === "string" ? header.cwd : "";
	const folder = cwd.split(/[\\/]/).filter(Boolean).at(-1);
	const name = folder ?? basename(path, ".jsonl");
	return Number.isNaN(began.getTime()) ? name : `${minute(began)} ${name}`;
}

/** `2026-06-29 10:39`, where the user is. */
export function minute(date: Date): string {
	const two = (number: number) => String(number).padStart(2, "0");
	const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
	return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

function headerOf(bytes: Uint8Array): Record<string, unknown> {
	const feed = bytes.indexOf(LINE_FEED);
	try {
		const line = Buffer.from(bytes.subarray(0, feed === -1 ? undefined : feed)).toString("utf8");
		const header: unknown = JSON.parse(line);
		return typeof header === "object" && header !== null ? (header as Record<string, unknown>) : {};
	} catch {
		return {};
	}
}
