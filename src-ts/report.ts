/**
 * What a decision leaves behind: a line in the ledger, where there is one, and at most one line for the user in a run.
 */

import type { Disk } from "./files.ts";
import { isFoldAsked } from "./folds/standing.ts";
import type { ExtensionContext } from "./host.ts";
import { coldReason, listed, type Notices, tierNote, warmReason } from "./notices.ts";
import type { IdentifiedPlan } from "./plan.ts";
import type { Settings } from "./settings.ts";
import { costOf } from "./situation.ts";

export interface Parts {
	readonly settings: Settings;
	readonly disk: Disk;
	readonly notices: Notices;
}

export class Reports {
	readonly #parts: Parts;
	/** The user was told of a fold in this run. */
	#told = false;
	#saidTier = false;

	constructor(parts: Parts) {
		this.#parts = parts;
	}

	/** A run begins. */
	start(): void {
		this.#told = false;
	}

	/** One line for the ledger. */
	keep(plan: IdentifiedPlan, ctx: ExtensionContext): void {
		const { disk, settings } = this.#parts;
		if (!settings.ledger) return;
		const { edits, ids: _, recallable: __, ...rest } = plan;
		const folds = edits.map(({ handle, tokens }) => ({ handle, tokens }));
		const line = { at: Date.now(), session: ctx.sessionManager.getSessionId(), ...rest, folds };
		disk.appendLine(settings.ledger, JSON.stringify(line));
	}

	/** One line for the user, at most one of folds in a run. */
	tell(plan: IdentifiedPlan, ctx: ExtensionContext, because?: string): void {
		const { notices } = this.#parts;
		const { edits, before, after, cache, recallable } = plan;
		const tier = cache.source === "observed" && !this.#saidTier ? tierNote(cache) : undefined;
		this.#saidTier ||= tier !== undefined;
		if (edits.length > 0 && !this.#told) {
			this.#told = true;
			const folds = edits.map(({ handle, subject, tokens }) => ({ handle, subject, tokens }));
			// What a return to a cold cache would have cost says nothing where the cache was not the reason.
			const warm = plan.reason === "pays" ? warmReason(plan) : undefined;
			const other = because ?? (isFoldAsked(ctx.sessionManager) ? "as you asked" : warm);
			const reason = [other ?? coldReason(cache), ...(tier ? [tier] : [])].join("; ");
			const cost = other ? {} : { cost: costOf(ctx, plan) };
			notices.folded({ version: 1, before, after, ...cost, reason, recallable, ...listed(folds) }, ctx);
		} else if (tier) notices.say(`pi-zip · ${tier}`, ctx);
	}
}
