/**
 * A plan between the first request that carries it and the moment Pi has persisted it.
 *
 * The model must see the same bytes before and after `turn_end` turns the plan into context edits, and another
 * extension's invalid draft can void ours without a word. So the plan stays in each request until its edits are seen on
 * the branch and Pi's own view shows them.
 */

import { contentText } from "./feed.ts";
import type { ContextEditEntryDraft, Message, SessionBoundaryDraft, SessionEntry } from "./host.ts";
import { type Placed, place } from "./view.ts";

export class Carried {
	#placed: readonly Placed[] = [];
	#persisted = new Set<string>();
	#sent = false;

	/** Whether requests must carry something. */
	get active(): boolean {
		return this.#placed.length > 0;
	}

	/** Whether some edit is not on the branch yet. */
	get unpersisted(): boolean {
		return this.#placed.some(({ entryId }) => !this.#persisted.has(entryId));
	}

	adopt(placed: readonly Placed[]): void {
		this.#placed = placed;
		this.#persisted.clear();
		this.#sent = false;
	}

	/** Lets go of the plan: the branch that it was made for is no longer current. */
	drop(): void {
		this.adopt([]);
	}

	/** Lets go of a plan that no request has carried: what the model never saw need not be kept. */
	dropUnsent(): void {
		if (!this.#sent) this.drop();
	}

	/** Looks for the edits among entries that are new on the branch. */
	observe(fresh: readonly SessionEntry[]): void {
		if (!this.active) return;
		for (const entry of fresh) {
			if (entry.type !== "context_edit") continue;
			const fold = this.#placed.find(({ entryId }) => entryId === entry.targetId);
			if (!fold) continue;
			if (contentText(entry.replacement?.content) === fold.placeholder) this.#persisted.add(fold.entryId);
			// Somebody else's newer edit of the same entry wins, as it does in Pi.
			else this.#placed = this.#placed.filter((other) => other !== fold);
		}
	}

	/** The view that goes out; undefined where nothing is carried or everything stands already. */
	apply(view: readonly Message[]): Message[] | undefined {
		if (!this.active) return undefined;
		const result = place(view, this.#placed);
		this.#sent = true;
		if (!result.standing) return result.view;
		if (!this.unpersisted) this.drop();
		return undefined;
	}

	/** What is still to be persisted, behind the drafts of others; undefined where there is nothing. */
	drafts(
		others: readonly SessionBoundaryDraft[],
		isOnBranch: (id: string) => boolean,
	): SessionBoundaryDraft[] | undefined {
		const taken = new Set(others.map((draft) => (draft.type === "context_edit" ? draft.targetId : undefined)));
		const mine = this.#placed
			.filter(({ entryId }) => !this.#persisted.has(entryId) && !taken.has(entryId) && isOnBranch(entryId))
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
