/**
 * A plan between the first request that carries it and the moment Pi has persisted it.
 *
 * The model must see the same bytes before and after `turn_end` turns the plan into context edits, and another
 * extension's invalid draft can void ours without a word. So the plan stays in each request until its edits are on the
 * branch. None of this needs the core: what was sent once goes on being sent, even if the core has failed since.
 */

import { contentText } from "./content.ts";
import {
	ancestry,
	type ContextEditEntryDraft,
	type Message,
	newEntries,
	type ReadonlySession,
	type SessionBoundaryDraft,
} from "./host.ts";
import { type Placed, place } from "./view.ts";

export class Carried {
	#placed = new Map<string, Placed>();
	#persisted = new Set<string>();
	/** The newest entry that was looked at for edits. */
	#seen: string | null = null;
	#sent = false;

	/** Whether requests must carry something. */
	get active(): boolean {
		return this.#placed.size > 0;
	}

	/** Whether requests carry a placeholder for an entry. */
	carries(entryId: string): boolean {
		return this.#placed.has(entryId);
	}

	/** Whether some edit is not on the branch yet. */
	get unpersisted(): boolean {
		return this.#persisted.size < this.#placed.size;
	}

	adopt(placed: readonly Placed[], session: ReadonlySession): void {
		this.drop();
		this.#placed = new Map(placed.map((fold) => [fold.entryId, fold]));
		this.#seen = session.getLeafId();
	}

	/** Lets go of the plan: Pi shows it by itself, or the branch that it was made for is no longer current. */
	drop(): void {
		this.#placed = new Map();
		this.#persisted.clear();
		this.#sent = false;
	}

	/** Lets go of a plan that no request has carried: what the model never saw need not be kept. */
	dropUnsent(): void {
		if (!this.#sent) this.drop();
	}

	/** Looks for the edits among the entries that are new on the branch. */
	look(session: ReadonlySession): void {
		if (!this.active) return;
		const { fresh } = newEntries(session, (id) => id === this.#seen);
		this.#seen = session.getLeafId();
		for (const entry of fresh) {
			const fold = entry.type === "context_edit" && this.#placed.get(entry.targetId);
			if (!fold) continue;
			if (contentText(entry.replacement?.content) === fold.placeholder) this.#persisted.add(fold.entryId);
			// Somebody else's newer edit of the same entry wins, as it does in Pi.
			else {
				this.#placed.delete(fold.entryId);
				this.#persisted.delete(fold.entryId);
			}
		}
	}

	/** The view that goes out; undefined where nothing is carried or everything stands already. */
	apply(view: readonly Message[]): Message[] | undefined {
		if (!this.active) return undefined;
		this.#sent = true;
		const result = place(view, [...this.#placed.values()]);
		if (!result.standing) return result.view;
		if (!this.unpersisted) this.drop();
		return undefined;
	}

	/** The view as it went out, without taking note of it. */
	preview(view: readonly Message[]): readonly Message[] {
		return this.active ? place(view, [...this.#placed.values()]).view : view;
	}

	/** What is still to be persisted, behind the drafts of others; undefined where there is nothing. */
	drafts(others: readonly SessionBoundaryDraft[], session: ReadonlySession): SessionBoundaryDraft[] | undefined {
		this.look(session);
		if (!this.unpersisted) return undefined;
		const taken = new Set(others.map((draft) => (draft.type === "context_edit" ? draft.targetId : undefined)));
		const branch = onBranch(session, this.#placed);
		const mine = [...this.#placed.values()]
			.filter(({ entryId }) => !this.#persisted.has(entryId) && !taken.has(entryId) && branch.has(entryId))
			.map(
				({ entryId, placeholder }): ContextEditEntryDraft => ({
					type: "context_edit",
					targetId: entryId,
					replacement: { content: [{ type: "text", text: placeholder }] },
				}),
			);
		return mine.length > 0 ? [...others, ...mine] : undefined;
	}
}

/** Those of some entries that the branch holds. They are in view, so the walk is short. */
function onBranch(session: ReadonlySession, ids: ReadonlyMap<string, unknown>): Set<string> {
	const found = new Set<string>();
	for (const { id } of ancestry(session)) {
		if (ids.has(id)) found.add(id);
		if (found.size === ids.size) break;
	}
	return found;
}
