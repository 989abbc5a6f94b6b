/**
 * The texts of a session that a search looks at, oldest first, each with its place: entry, turn, and whether the model
 * sees it at present.
 *
 * What this package's own tools were asked and answered is left out: it repeats what is found elsewhere.
 */

import { isDeepStrictEqual } from "node:util";
import { callsOf, isPlaceholder, isRecord, messageOf, stringOf } from "../content.ts";
import { type Part, partsOf } from "../recall/parts.ts";
import { STEERING_ENTRY } from "../steering.ts";
import type { SearchRequest } from "./request.ts";

/** What of an entry is used. */
export interface EntryLike {
	readonly type: string;
	readonly id: string;
	readonly parentId?: string | null;
}

/** What of Pi's session manager is used. */
export interface SearchedSession {
	getEntries(): readonly EntryLike[];
	getBranch(): readonly EntryLike[];
	buildSessionProjection(): { entries: readonly { sourceEntry: { id: string }; messages: readonly unknown[] }[] };
}

export type Visibility = "in view" | "folded" | "edited" | "out of view" | "left branch";

export interface Document {
	readonly entry: EntryLike;
	readonly part: Part;
	/** Index among the parts of its entry. */
	readonly index: number;
	/** User turn, from 1; 0 before the first. */
	readonly turn: number;
	readonly isLeft: boolean;
	/** A result that is marked as failed. */
	readonly hasFailed: boolean;
}

export const OWN_TOOLS: ReadonlySet<string> = new Set(["zip_search", "zip_recall"]);

type Filter = Pick<SearchRequest, "where" | "tool" | "path" | "role" | "turns">;

/** The documents that the filters leave, in the order of the file; with `within` only of those entries, on any branch. */
export function* documents(
	session: SearchedSession,
	filter: Filter,
	within?: ReadonlySet<string>,
): Generator<Document> {
	const branch = session.getBranch();
	const onBranch = filter.where !== "session" || within ? new Set(branch.map(({ id }) => id)) : undefined;
	const entries = onBranch ? session.getEntries() : branch;
	const steering = steeringIn(session.getEntries());
	/** By entry id, since a left branch goes on from the turn it left. */
	const turns = new Map<string, number>();
	/** By call id, the newest before its result: what the call was about, in lower case. */
	const subjects = new Map<string, string>();
	for (const entry of entries) {
		const isPrompt = entry.type === "message" && roleOf(entry) === "user" && !steering.has(entry.id);
		const turn = (turns.get(entry.parentId ?? "") ?? 0) + (isPrompt ? 1 : 0);
		turns.set(entry.id, turn);
		if (filter.path !== undefined) noteSubjects(entry, subjects);
		if (within?.has(entry.id) === false) continue;
		if (filter.turns && (turn < filter.turns.first || turn > filter.turns.last)) continue;
		const hasFailed = messageOf(entry).isError === true;
		const isLeft = onBranch !== undefined && !onBranch.has(entry.id);
		const parts = partsOf(entry);
		for (let index = 0; index < parts.length; index += 1) {
			const part = parts[index]!;
			if (part.text === "" || OWN_TOOLS.has(part.tool) || !fits(entry, part, filter, subjects)) continue;
			yield { entry, part, index, turn, isLeft, hasFailed };
		}
	}
}

function fits(entry: EntryLike, part: Part, filter: Filter, subjects: ReadonlyMap<string, string>): boolean {
	if (filter.role !== undefined && part.role !== filter.role) return false;
	if (filter.tool !== undefined && part.tool.toLowerCase() !== filter.tool) return false;
	if (filter.path === undefined) return true;
	const message = messageOf(entry);
	if (part.role === "tool") return subjects.get(stringOf(message.toolCallId))?.includes(filter.path) === true;
	if (part.role !== "call") return false;
	return callsOf(message).some(
		({ id, name }) => name === part.tool && subjects.get(stringOf(id))?.includes(filter.path!),
	);
}

/** Arguments longer than this are content rather than a path or a command. */
const LONGEST_SUBJECT = 2_000;

function noteSubjects(entry: EntryLike, subjects: Map<string, string>): void {
	const message = messageOf(entry);
	if (message.role !== "assistant") return;
	for (const block of callsOf(message)) {
		if (!isRecord(block.arguments)) continue;
		const values = Object.values(block.arguments).filter((value) => typeof value === "string");
		const short = values.filter((value) => value.length <= LONGEST_SUBJECT);
		subjects.set(stringOf(block.id), short.join("\n").toLowerCase());
	}
}

/** Messages that were typed during a run open no turn. */
function steeringIn(entries: readonly EntryLike[]): Set<string> {
	const ids = new Set<string>();
	for (const entry of entries) {
		const { customType, data } = entry as { customType?: unknown; data?: unknown };
		if (entry.type !== "custom" || customType !== STEERING_ENTRY || !isRecord(data)) continue;
		if (Array.isArray(data.targets)) for (const id of data.targets) ids.add(String(id));
	}
	return ids;
}

/** What the model sees of the entries, by their ids. `isCarried`: folded by a plan that Pi has not persisted yet. */
export function visibility(
	session: SearchedSession,
	isCarried: (entryId: string) => boolean,
): (document: Pick<Document, "entry" | "isLeft">) => Visibility {
	const shown = new Set<string>();
	for (const { sourceEntry, messages } of session.buildSessionProjection().entries) {
		if (messages.length > 0) shown.add(sourceEntry.id);
	}
	const edits = new Map<string, unknown>();
	for (const entry of session.getBranch()) {
		if (entry.type !== "context_edit") continue;
		const { targetId, replacement } = entry as { targetId?: unknown; replacement?: unknown };
		edits.set(stringOf(targetId), replacement);
	}
	return ({ entry, isLeft }) => {
		const { id } = entry;
		if (isLeft) return "left branch";
		if (!shown.has(id)) return "out of view";
		if (isCarried(id)) return "folded";
		const edit = edits.get(id);
		// What was unfolded stands in view by an edit with the original's content.
		if (!isRecord(edit) || isDeepStrictEqual(edit.content, messageOf(entry).content)) return "in view";
		return isPlaceholder(edit.content) ? "folded" : "edited";
	};
}

function roleOf(entry: EntryLike): unknown {
	return messageOf(entry).role;
}
