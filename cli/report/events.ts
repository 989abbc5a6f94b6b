/**
 * What happened between the requests of a session: folds, recalls, compactions and summaries, each at the request that
 * first felt it.
 */

import { isPlaceholder, isRecord, type Loose } from "../../src-ts/content.ts";
import { handleOf } from "../../src-ts/core.ts";
import { KEEP_ENTRY, keptIn } from "../../src-ts/folds/kept.ts";
import { Originals } from "../../src-ts/recall/originals.ts";
import { oneLine } from "../../src-ts/recall/request.ts";
import { RECALL_TOOL } from "../../src-ts/recall.ts";
import type { History } from "../history.ts";
import type { WireRequest } from "../lab.ts";

export type EventKind = "fold" | "would" | "back" | "recall" | "compaction" | "summary" | "edit";

export interface SessionEvent {
	kind: EventKind;
	/** Index of the request. */
	request: number;
	/** What it was about, a line for each output; text of the session. */
	lines: string[];
}

const SUBJECT_UNITS = 160;

/** In the order of the requests. */
export async function eventsOf(history: History, requests: readonly WireRequest[]): Promise<SessionEvent[]> {
	const byEntry = new Map(requests.map((request, index) => [request.entry, index]));
	const subjects = new Subjects(history);
	const events: SessionEvent[] = [];
	const folded = new Set<string>();
	/** Outputs that the user took back, until Pi has them as an edit. */
	const kept = new Set<string>();
	let last = -1;
	const add = (kind: EventKind, request: number, line: string) => {
		const at = Math.max(0, Math.min(request, requests.length - 1));
		const same = events.find((event) => event.kind === kind && event.request === at);
		if (same === undefined) events.push({ kind, request: at, lines: [line] });
		else same.lines.push(line);
	};
	for (const entry of history.branch()) {
		const line = entry as unknown as Loose;
		last = byEntry.get(entry.id) ?? last;
		// Edits are written when the turn that first carried them is over, and results come behind their answer; the
		// others come in front of the next request.
		if (line.type === "context_edit") {
			const target = typeof line.targetId === "string" ? line.targetId : "";
			const isFold = isPlaceholder(record(line.replacement).content);
			if (isFold) folded.add(target);
			if (isFold || !kept.delete(target)) add(isFold ? "fold" : "edit", last, await subjects.of(target));
		} else if (line.type === "custom" && line.customType === KEEP_ENTRY) {
			const { target = "", released = true } = keptIn(line.data) ?? {};
			if (released || !folded.has(target)) continue;
			kept.add(target);
			add("back", last + 1, await subjects.of(target));
		} else if (line.type === "compaction") {
			const before = typeof line.tokensBefore === "number" ? ` of ${Math.round(line.tokensBefore)} tokens` : "";
			add("compaction", last + 1, `compaction${before}`);
		} else if (line.type === "branch_summary") add("summary", last + 1, "summary of a branch that was left");
		else if (line.type === "message" && record(line.message).toolName === RECALL_TOOL) {
			const recalled = record(record(line.message).details).recalled;
			const pages = Array.isArray(recalled) ? recalled.map(record) : [];
			for (const page of pages) add("recall", last, await subjects.ofRecalled(page));
		}
	}
	for (const [index, request] of requests.entries()) {
		for (const entry of request.folded) add("would", index, await subjects.of(entry));
	}
	// What would have been done is drawn beneath what was.
	const rank = ({ kind }: SessionEvent) => (kind === "would" ? 0 : 1);
	return events.sort((one, other) => one.request - other.request || rank(one) - rank(other));
}

/** What outputs are, in words: tool, path or command, size and handle. */
class Subjects {
	readonly #history: History;
	readonly #originals = new Originals(handleOf);
	readonly #known = new Map<string, string>();

	constructor(history: History) {
		this.#history = history;
	}

	async of(entryId: string): Promise<string> {
		const handle = entryId === "" ? "" : handleOf(entryId);
		const known = this.#known.get(handle);
		if (known !== undefined) return known;
		const told = await this.#tell(handle);
		this.#known.set(handle, told);
		return told;
	}

	async ofRecalled(page: Loose): Promise<string> {
		const handle = typeof page.handle === "string" ? page.handle : "";
		const [from, to, of] = [page.from, page.to, page.of].map((unit) => (typeof unit === "number" ? unit : 0)) as [
			number,
			number,
			number,
		];
		const part = to - from < of ? `${to - from} of ${of} characters of ` : "";
		return part + (this.#known.get(handle) ?? (await this.#tell(handle)));
	}

	async #tell(handle: string): Promise<string> {
		const original = await this.#originals.find(this.#history, handle);
		if (original.kind !== "found") return "an entry that is no tool output";
		const what = oneLine(`${original.toolName} ${original.what}`, SUBJECT_UNITS);
		return `${what} · ${original.text.length} characters · ${handle}`;
	}
}

function record(value: unknown): Loose {
	return isRecord(value) ? value : {};
}
