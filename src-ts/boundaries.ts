/**
 * What is persisted at the end of a turn, or before Pi comes to rest: folds, what was unfolded, summaries.
 *
 * Its handlers exist only while there is something to persist: a permanent one ends Pi's cache warming. It decides nothing.
 */

import type { Restore } from "./folds/restore.ts";
import type { Hooks } from "./hooks.ts";
import type { ExtensionContext, SessionBoundaryDraft } from "./host.ts";
import type { Runs } from "./run.ts";
import type { Summarising } from "./summarising.ts";

export interface Parts {
	readonly hooks: Hooks;
	readonly runs: Runs;
	readonly restore: Restore;
	readonly summarising: Pick<Summarising, "draftsBehind" | "isUnpersisted">;
}

export class Boundaries {
	readonly #parts: Parts;
	#unregister: (() => void) | undefined;

	constructor(parts: Parts) {
		this.#parts = parts;
	}

	/** Persists at the next such boundary; with `fold` it folds there as well, with `goOn` the run then goes on. */
	persistAt(name: "turn_end" | "agent_before_settle", then: { fold?: boolean; goOn?: boolean } = {}): void {
		const { hooks, runs, summarising } = this.#parts;
		this.forget();
		this.#unregister = hooks.on(name, (event, ctx) => {
			this.forget();
			if (then.fold) runs.fold(ctx);
			const edits = this.edits(event.entries, ctx);
			const entries = summarising.draftsBehind(edits ?? event.entries, ctx) ?? edits;
			return entries && { entries, ...(edits && runs.unpersisted && then.goOn ? { continue: true } : {}) };
		});
	}

	/** What stands folded or unfolded in view and is no edit yet, behind the drafts of others; undefined where nothing does. */
	edits(others: SessionBoundaryDraft[], ctx: ExtensionContext): SessionBoundaryDraft[] | undefined {
		const { runs, restore } = this.#parts;
		const folds = runs.persist(others, ctx)?.entries;
		return restore.drafts(folds ?? others, ctx.sessionManager) ?? folds;
	}

	/** Whether something went out that Pi has not persisted. */
	isUnpersisted(ctx: ExtensionContext): boolean {
		const { runs, restore, summarising } = this.#parts;
		return runs.unpersisted || restore.unpersisted(ctx.sessionManager) || summarising.isUnpersisted(ctx);
	}

	forget(): void {
		this.#unregister?.();
		this.#unregister = undefined;
	}
}
