/**
 * What stands folded on the branch, and what the user has undone: read off the session's entries alone, so that it is the
 * same after a restart and after a move in the tree.
 *
 * An undone fold is written down at once as an entry of its own; the context edit that gives Pi the original back comes
 * with the next request (`restore.ts`). Both entries count from where they stand on the branch.
 */

import { contentText, isPlaceholder, isRecord } from "../content.ts";
import { span } from "../format.ts";
import { ancestry, type ReadonlySession, type SessionEntry } from "../host.ts";
import { FOLD_ENTRY } from "../notices.ts";
import { FOLD_NOW_ENTRY, KEEP_ENTRY, keptIn } from "./kept.ts";

export interface Standing {
	readonly entry: SessionEntry;
	readonly placeholder: string;
	/** Which plan folded it, from 0; edits that were persisted together are one. */
	readonly plan: number;
	/** Why, as the user was told; where nothing was said, when it was. */
	readonly reason: string;
}

export interface Standings {
	/** By entry id, in the order in which they were folded. */
	readonly folds: ReadonlyMap<string, Standing>;
	/** Undone, but still folded in Pi's projection: by placeholder, the entry whose original goes out instead. */
	readonly undone: ReadonlyMap<string, SessionEntry>;
	/** Entries that are not folded. */
	readonly kept: ReadonlySet<string>;
}

/** What of Pi's session manager is used. */
export interface FoldedSession {
	getBranch(): readonly SessionEntry[];
	getEntry(id: string): SessionEntry | undefined;
}

export function standingsOf(session: FoldedSession): Standings {
	const folds = new Map<string, Standing>();
	const undone = new Map<string, Standing>();
	const kept = new Set<string>();
	let plan = -1;
	let reason = "";
	let told = "";
	let isInPlan = false;
	const moment = new Moment();
	for (const entry of session.getBranch()) {
		if (entry.type !== "context_edit") {
			isInPlan = false;
			moment.pass(entry);
			if (entry.type !== "custom") continue;
			if (entry.customType === FOLD_ENTRY) told = reasonIn(entry.data);
			const keep = entry.customType === KEEP_ENTRY ? keptIn(entry.data) : undefined;
			if (keep === undefined) continue;
			const { target } = keep;
			if (keep.released) {
				kept.delete(target);
				continue;
			}
			kept.add(target);
			const fold = folds.get(target);
			if (fold) undone.set(target, fold);
			folds.delete(target);
			continue;
		}
		const { targetId } = entry;
		folds.delete(targetId);
		undone.delete(targetId);
		const content = entry.replacement?.content;
		const placeholder = isPlaceholder(content) ? contentText(content) : undefined;
		const target = session.getEntry(targetId);
		if (!target || placeholder === undefined) continue;
		if (!isInPlan) {
			plan += 1;
			// What was said belongs to the one plan behind it.
			reason = told || moment.told;
			told = "";
		}
		isInPlan = true;
		folds.set(targetId, { entry: target, placeholder, plan, reason });
	}
	return {
		folds,
		undone: new Map([...undone.values()].map(({ placeholder, entry }) => [placeholder, entry])),
		kept,
	};
}

/** When the newest answer was asked for: with a prompt, how long after the answer before, or within a run. */
class Moment {
	told = "";
	#answered: number | undefined;
	#isPrompted = false;

	pass(entry: SessionEntry): void {
		if (entry.type !== "message") return;
		const { role, timestamp } = entry.message;
		if (role === "user") this.#isPrompted = true;
		if (role !== "assistant") return;
		const idle = this.#answered === undefined ? 0 : timestamp - this.#answered;
		this.told = this.#isPrompted ? `with a prompt ${span(idle)} after the last answer` : "within a run";
		this.#answered = timestamp;
		this.#isPrompted = false;
	}
}

/** Whether the user has asked to fold since the last answer. */
export function isFoldAsked(session: ReadonlySession): boolean {
	for (const entry of ancestry(session)) {
		if (entry.type === "message" && entry.message.role === "assistant") return false;
		if (entry.type === "custom" && entry.customType === FOLD_NOW_ENTRY) return true;
	}
	return false;
}

function reasonIn(data: unknown): string {
	return isRecord(data) && typeof data.reason === "string" ? data.reason : "";
}
