/**
 * A session file as JavaScript sees it: the entries with their original strings, which the Rust side does not hold.
 *
 * Reads every version without Pi: a file without ids (1) gets the lab's, the place of each line among those that can be
 * read. A line that is no JSON, such as one torn by a crash, is skipped and counted. What is in the entries is judged by
 * those who use them.
 */

import { isAscii } from "node:buffer";
import type { SessionEntry } from "@earendil-works/pi-coding-agent";
import { isRecord, type Loose } from "../src-ts/content.ts";
import type { SessionReader } from "../src-ts/recall/originals.ts";
import { Failure } from "./failure.ts";

const LINE_FEED = 10;
/** The first version whose entries have ids. */
const VERSION_WITH_IDS = 2;

export class History implements SessionReader {
	readonly header: Loose;
	/** Lines that could not be read. */
	readonly skipped: number;
	readonly #entries: SessionEntry[] = [];
	readonly #byId = new Map<string, SessionEntry>();

	/** Throws a `Failure` where the bytes are no session. */
	constructor(bytes: Uint8Array) {
		const { values, skipped } = jsonLines(bytes);
		const [header, ...entries] = values;
		if (header === undefined) {
			throw new Failure(skipped === 0 ? "the file is empty" : "no line of it can be read");
		}
		if (header.type !== "session") throw new Failure("not a session file of Pi");
		this.header = header;
		this.skipped = skipped;
		const isList = typeof header.version !== "number" || header.version < VERSION_WITH_IDS;
		for (const [index, entry] of entries.entries()) {
			// The header is line 0 of those that can be read.
			if (isList) Object.assign(entry, { id: listId(index + 1), parentId: index === 0 ? null : listId(index) });
			this.#entries.push(entry as unknown as SessionEntry);
			if (typeof entry.id === "string") this.#byId.set(entry.id, entry as unknown as SessionEntry);
		}
	}

	getEntries(): readonly SessionEntry[] {
		return this.#entries;
	}

	/** Of equal ids the last, as in Pi. */
	getEntry(id: string): SessionEntry | undefined {
		return this.#byId.get(id);
	}

	/** The entries from the root to the last line. */
	branch(): SessionEntry[] {
		const places = new Map(this.#entries.map((entry, index) => [entry.id, index]));
		const branch: SessionEntry[] = [];
		let at: number | undefined = this.#entries.length - 1;
		while (at !== undefined && at >= 0) {
			const entry: SessionEntry = this.#entries[at]!;
			branch.push(entry);
			const parent: number | undefined = entry.parentId ? places.get(entry.parentId) : undefined;
			// A parent that is no earlier line would lead in a circle.
			at = parent !== undefined && parent < at ? parent : undefined;
		}
		return branch.reverse();
	}
}

function listId(index: number): string {
	return `line-${index}`;
}

/** The objects among the lines, one line at a time: a large file fits into no single string. */
function jsonLines(bytes: Uint8Array): { values: Loose[]; skipped: number } {
	const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	const values: Loose[] = [];
	let skipped = 0;
	for (let start = 0; start < buffer.length; ) {
		const feed = buffer.indexOf(LINE_FEED, start);
		const end = feed === -1 ? buffer.length : feed;
		// Most lines are ASCII, of which a string is made without decoding.
		const isPlain = isAscii(buffer.subarray(start, end));
		const line = buffer.toString(isPlain ? "latin1" : "utf8", start, end);
		start = end + 1;
		if (line.trim() === "") continue;
		try {
			const value: unknown = JSON.parse(line);
			if (isRecord(value)) values.push(value);
			else skipped += 1;
		} catch {
			skipped += 1;
		}
	}
	return { values, skipped };
}
