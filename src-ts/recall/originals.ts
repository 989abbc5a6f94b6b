/**
 * Finds the original behind a handle in a session: the tool result as its entry has it, whatever edits, compactions and
 * branches have made of it since.
 *
 * A handle follows from the entry's id, so no table is kept with the session. The whole file is looked through, not the
 * branch alone: an output stays recallable after a move in the tree.
 */

import type { SessionEntry } from "@earendil-works/pi-coding-agent";
import type { Original } from "./answer.ts";
import { oneLine } from "./request.ts";

/** What of Pi's session manager is used. */
export interface SessionReader {
	getEntries(): readonly SessionEntry[];
	getEntry(id: string): SessionEntry | undefined;
}

type Loose = Record<string, unknown>;

/** Entries looked through for the call of a result; parallel results stand close behind their call. */
const CALL_DISTANCE = 200;
/** Handles named where one is unknown. */
const NEAREST = 3;
/** Arguments that say what a call was about, the most telling first. */
const SUBJECTS = ["command", "path", "file_path", "pattern", "query", "url"];
const SUBJECT_UNITS = 60;

interface Seen {
	length: number;
	last: SessionEntry | undefined;
	/** Targets of context edits. */
	folded: string[];
	results: SessionEntry[];
}

export class Originals {
	/** Handles by entry id: each costs a hash. */
	readonly #handles = new Map<string, string>();
	/** What the session was last seen to hold. Sessions only grow, so their length and end tell whether they are as seen. */
	#seen: Seen | undefined;
	readonly #derive: (entryId: string) => string;

	/** `derive` is the module's derivation of handles. */
	constructor(derive: (entryId: string) => string) {
		this.#derive = derive;
	}

	find(session: SessionReader, handle: string): Original {
		const isIt = (id: string) => this.#handleOf(id) === handle;
		const seen = this.#look(session);
		// Nearly every handle is of a folded output, and those are few.
		const id = seen.folded.find(isIt);
		const entry = id === undefined ? seen.results.find((it) => isIt(it.id)) : session.getEntry(id);
		if (entry && isToolResult(entry)) return describe(session, entry);
		if (id !== undefined) return { kind: "lost" };
		return { kind: "unknown", nearest: this.#nearest(session, seen.folded, handle) };
	}

	#look(session: SessionReader): Seen {
		const entries = session.getEntries();
		const last = entries.at(-1);
		if (this.#seen?.length !== entries.length || this.#seen.last !== last) {
			const results = entries.filter(isToolResult);
			this.#seen = { length: entries.length, last, folded: foldedIds(entries), results };
		}
		return this.#seen;
	}

	#handleOf(entryId: string): string {
		let handle = this.#handles.get(entryId);
		if (handle === undefined) {
			handle = this.#derive(entryId);
			this.#handles.set(entryId, handle);
		}
		return handle;
	}

	/** The folded outputs whose handles are least different, with what they are; of equals the newest first. */
	#nearest(session: SessionReader, folded: readonly string[], handle: string): string[] {
		return folded
			.flatMap((id) => session.getEntry(id) ?? [])
			.filter(isToolResult)
			.reverse()
			.map((entry) => ({ entry, name: this.#handleOf(entry.id) }))
			.map(({ entry, name }) => ({ entry, name, distance: distance(name, handle) }))
			.sort((one, other) => one.distance - other.distance)
			.slice(0, NEAREST)
			.map(({ entry, name }) => {
				const original = describe(session, entry);
				return original.kind === "found" ? `${name} (${label(original)})` : name;
			});
	}
}

function describe(session: SessionReader, entry: SessionEntry): Original {
	const message = messageOf(entry);
	const content = message.content;
	const blocks = Array.isArray(content) ? content.filter(isRecord) : [];
	const text = typeof content === "string" ? content : blocks.map((block) => stringOf(block.text)).join("");
	const args = argumentsOf(session, entry, message.toolCallId);
	const subject = SUBJECTS.map((name) => stringOf(args[name])).find((value) => value !== "");
	return { kind: "found", entryId: entry.id, toolName: stringOf(message.toolName), what: subject ?? "", text };
}

function label({ toolName, what }: { toolName: string; what: string }): string {
	return oneLine(`${toolName} ${what}`, SUBJECT_UNITS);
}

/** The arguments of the nearest call before `entry` that has the id; ids may repeat in a session. */
function argumentsOf(session: SessionReader, entry: SessionEntry, callId: unknown): Loose {
	let at: SessionEntry | undefined = entry;
	for (let step = 0; step < CALL_DISTANCE && at?.parentId; step++) {
		at = session.getEntry(at.parentId);
		const { role, content } = at ? messageOf(at) : {};
		if (role !== "assistant" || !Array.isArray(content)) continue;
		const call = content.filter(isRecord).find((block) => block.type === "toolCall" && block.id === callId);
		if (call) return isRecord(call.arguments) ? call.arguments : {};
	}
	return {};
}

/** Targets of context edits, each once, in the order of the file; the entries themselves may be gone. */
function foldedIds(entries: readonly SessionEntry[]): string[] {
	const ids = new Set<string>();
	for (const entry of entries) {
		if (entry.type === "context_edit" && typeof entry.targetId === "string") ids.add(entry.targetId);
	}
	return [...ids];
}

function isToolResult(entry: SessionEntry): boolean {
	return entry.type === "message" && typeof entry.id === "string" && messageOf(entry).role === "toolResult";
}

function messageOf(entry: SessionEntry): Loose {
	const message: unknown = entry.type === "message" ? entry.message : undefined;
	return isRecord(message) ? message : {};
}

/** Edits (a character put in, left out or changed) between two short texts. */
function distance(one: string, other: string): number {
	const row = Array.from({ length: other.length + 1 }, (_, index) => index);
	for (let line = 0; line < one.length; line++) {
		let diagonal = line;
		row[0] = line + 1;
		for (let column = 0; column < other.length; column++) {
			const changed = diagonal + (one[line] === other[column] ? 0 : 1);
			diagonal = row[column + 1]!;
			row[column + 1] = Math.min(changed, diagonal + 1, row[column]! + 1);
		}
	}
	return row[other.length]!;
}

function isRecord(value: unknown): value is Loose {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

function stringOf(value: unknown): string {
	return typeof value === "string" ? value : "";
}
