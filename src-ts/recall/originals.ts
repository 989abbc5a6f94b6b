/**
 * Finds the original behind a handle in a session: the output, message or argument as its entry has it, whatever edits,
 * compactions and branches have made of it since. A handle with a number behind it, as in `0abc123def.2`, names one part
 * of an entry that has several.
 *
 * The id of a summary leads to what it covers (`summaries.ts`). A handle follows from the entry's id, so no table is kept
 * with the session. The whole file is looked through, not the branch alone: an output stays recallable after a move in the
 * tree.
 */

import type { SessionEntry } from "@earendil-works/pi-coding-agent";
import { isRecord, type Loose, messageOf, stringOf } from "../content.ts";
import { Slices } from "../slices.ts";
import type { Original } from "./answer.ts";
import { blocksOf } from "./blocks.ts";
import { type Part, partsOf } from "./parts.ts";
import { oneLine } from "./request.ts";
import { coveredBy, recalled } from "./summaries.ts";

/** What of Pi's session manager is used. */
export interface SessionReader {
	getEntries(): readonly SessionEntry[];
	getEntry(id: string): SessionEntry | undefined;
}

/** Entries looked through for the call of a result; parallel results stand close behind their call. */
const CALL_DISTANCE = 200;
/** Handles named where one is unknown. */
const NEAREST = 3;
/** Arguments that say what a call was about, the most telling first. */
const SUBJECTS = ["command", "path", "file_path", "pattern", "query", "url", "handle", "handles"];
const SUBJECT_UNITS = 60;

interface Seen {
	length: number;
	last: SessionEntry | undefined;
	/** Targets of context edits. */
	folded: string[];
	/** Outputs and then what else has an id, the newest first. */
	entries: readonly SessionEntry[];
	/** The first of them by their handles: as many as had to be looked at. */
	readonly byHandle: Map<string, SessionEntry>;
	looked: number;
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

	/** Each handle costs a hash, so that a large session is looked through in slices. */
	async find(session: SessionReader, name: string): Promise<Original> {
		const [handle = "", part] = name.split(".");
		const slices = new Slices();
		const seen = this.#look(session);
		// Nearly every handle is of a folded output, and those are few.
		const id = await this.#foldedOf(handle, seen, slices);
		const entry = id === undefined ? await this.#entryOf(handle, seen, slices) : session.getEntry(id);
		const found = entry && originalOf(session, entry, handle, part);
		if (found) return found;
		if (id !== undefined && !entry) return { kind: "lost" };
		await slices.pause();
		const derive = (entryId: string) => this.handleOf(entryId);
		const covered = part === undefined ? coveredBy(session, handle, derive) : undefined;
		if (covered) {
			const text = recalled(session, covered, derive);
			return { kind: "found", entryId: covered.madeBy, toolName: "summary", what: "and what it covers", text };
		}
		return { kind: "unknown", nearest: this.#nearest(session, seen.folded, handle) };
	}

	#look(session: SessionReader): Seen {
		const entries = session.getEntries();
		const last = entries.at(-1);
		if (this.#seen?.length !== entries.length || this.#seen.last !== last) {
			const results = entries.filter(isToolResult).reverse();
			const others = entries.filter((entry) => typeof entry.id === "string" && !isToolResult(entry)).reverse();
			this.#seen = {
				length: entries.length,
				last,
				folded: foldedIds(entries),
				entries: [...results, ...others],
				byHandle: new Map(),
				looked: 0,
			};
		}
		return this.#seen;
	}

	async #foldedOf(handle: string, { folded }: Seen, slices: Slices): Promise<string | undefined> {
		for (const id of folded) {
			if (this.handleOf(id) === handle) return id;
			if (slices.isOver) await slices.pause();
		}
		return undefined;
	}

	/** None is derived behind the one that is looked for, and none is looked at twice. */
	async #entryOf(handle: string, seen: Seen, slices: Slices): Promise<SessionEntry | undefined> {
		const { byHandle, entries } = seen;
		while (!byHandle.has(handle) && seen.looked < entries.length) {
			const entry = entries[seen.looked] as SessionEntry;
			const own = this.handleOf(entry.id);
			if (!byHandle.has(own)) byHandle.set(own, entry);
			seen.looked += 1;
			if (slices.isOver) await slices.pause();
		}
		return byHandle.get(handle);
	}

	/** The handle of an entry, derived once. */
	handleOf(entryId: string): string {
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
			.map((entry) => ({ entry, name: this.handleOf(entry.id) }))
			.map(({ entry, name }) => ({ entry, name, distance: distance(name, handle) }))
			.sort((one, other) => one.distance - other.distance)
			.slice(0, NEAREST)
			.map(({ entry, name }) => `${name} (${label(describe(session, entry))})`);
	}
}

/** Undefined where the entry holds no text, or has no such part. */
function originalOf(
	session: SessionReader,
	entry: SessionEntry,
	handle: string,
	number: string | undefined,
): Original | undefined {
	if (isToolResult(entry)) return describe(session, entry);
	const parts = partsOf(entry);
	if (number === undefined && parts.length > 1) {
		return { kind: "several", names: parts.map((_, index) => partName(handle, index, parts)) };
	}
	const part = parts[number === undefined ? 0 : Number(number) - 1];
	if (part === undefined) return undefined;
	const { name, what } = naming(part);
	const message = messageOf(entry);
	const blocks = part.role === "user" && parts.length === 1 ? blocksOf(message.content) : undefined;
	return { kind: "found", entryId: entry.id, toolName: name, what, text: part.text, ...(blocks && { blocks }) };
}

/** How a part is named for recall: by its entry's handle alone where the entry has no other. */
export function partName(handle: string, index: number, parts: readonly Part[]): string {
	return parts.length > 1 ? `${handle}.${index + 1}` : handle;
}

/** What kind of text a part is, and which. */
export function naming({ role, tool, label }: Part): { name: string; what: string } {
	switch (role) {
		case "tool":
			return { name: tool, what: "" };
		case "call":
			return { name: `call of ${tool},`, what: label };
		case "user":
			return { name: label === "" ? "user message" : "of the user:", what: label };
		case "assistant":
			return { name: label === "" ? "answer" : label, what: "" };
		case "summary":
			return { name: "summary", what: "" };
	}
}

function describe(session: SessionReader, entry: SessionEntry): Extract<Original, { kind: "found" }> {
	const text = partsOf(entry)[0]?.text ?? "";
	const toolName = stringOf(messageOf(entry).toolName);
	const blocks = blocksOf(messageOf(entry).content);
	return {
		kind: "found",
		entryId: entry.id,
		toolName,
		what: subjectOf(session, entry),
		text,
		...(blocks && { blocks }),
	};
}

/** What the call of a result was about: its command, path or the like. */
export function subjectOf(session: SessionReader, entry: SessionEntry): string {
	const args = argumentsOf(session, entry, messageOf(entry).toolCallId);
	const texts = SUBJECTS.map((name) => (Array.isArray(args[name]) ? args[name].join(" ") : stringOf(args[name])));
	return texts.find((text) => text !== "") ?? "";
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

export function isToolResult(entry: SessionEntry): boolean {
	return entry.type === "message" && typeof entry.id === "string" && messageOf(entry).role === "toolResult";
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
