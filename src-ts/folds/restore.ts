/**
 * Gives the model back what the user has unfolded: in the view from the next request on, and as context edits at that
 * request's end.
 *
 * What is to be given back is read off the session each time, so a restart in between changes no byte. A placeholder in
 * the view is found by its text, which names the entry's handle. Needs no core.
 */

import { contentText, isPlaceholder } from "../content.ts";
import type { ContextEditEntryDraft, Message, SessionBoundaryDraft, SessionEntry, ToolResultMessage } from "../host.ts";
import { type FoldedSession, standingsOf } from "./standing.ts";

export class Restore {
	/** Whether the branch may hold something undone: looking costs a walk over it. */
	#mayBe = true;
	/** Entries that a request has shown unfolded. */
	readonly #shown = new Set<string>();

	/** Something was undone, or another branch is current. */
	look(): void {
		this.#mayBe = true;
		this.#shown.clear();
	}

	/** Whether something was shown unfolded that Pi has not taken as an edit. */
	unpersisted(session: FoldedSession): boolean {
		return this.#pending(session).length > 0;
	}

	/** The view that goes out; undefined where nothing is given back in it. */
	apply(view: readonly Message[], session: FoldedSession): Message[] | undefined {
		if (!this.#mayBe || !view.some((message) => message.role === "toolResult" && isPlaceholder(message.content)))
			return undefined;
		const { undone } = standingsOf(session);
		if (undone.size === 0) {
			this.#mayBe = false;
			return undefined;
		}
		let restored: Message[] | undefined;
		for (const [index, message] of view.entries()) {
			if (message.role !== "toolResult") continue;
			const text = isPlaceholder(message.content) ? contentText(message.content) : undefined;
			const entry = text === undefined ? undefined : undone.get(text);
			const content = entry && originalContent(entry);
			if (!entry || !content) continue;
			restored ??= view.slice();
			restored[index] = { ...message, content };
			this.#shown.add(entry.id);
		}
		return restored;
	}

	/** What is still to be persisted, behind the drafts of others; undefined where there is nothing. */
	drafts(others: readonly SessionBoundaryDraft[], session: FoldedSession): SessionBoundaryDraft[] | undefined {
		const taken = new Set(others.map((draft) => (draft.type === "context_edit" ? draft.targetId : undefined)));
		const mine = this.#pending(session).flatMap((entry): ContextEditEntryDraft[] => {
			const content = originalContent(entry);
			if (!content || taken.has(entry.id)) return [];
			return [{ type: "context_edit", targetId: entry.id, replacement: { content } }];
		});
		return mine.length > 0 ? [...others, ...mine] : undefined;
	}

	/** What was shown and is no edit yet. Nothing is looked at where there can be nothing. */
	#pending(session: FoldedSession): SessionEntry[] {
		if (this.#shown.size === 0) return [];
		const pending = [...standingsOf(session).undone.values()].filter(({ id }) => this.#shown.has(id));
		if (pending.length === 0) this.#shown.clear();
		return pending;
	}
}

/** A copy of a result's own blocks: what Pi and others do to a message must not reach the entry. */
function originalContent(entry: SessionEntry): ToolResultMessage["content"] | undefined {
	if (entry.type !== "message" || entry.message.role !== "toolResult") return undefined;
	return structuredClone(entry.message.content);
}
