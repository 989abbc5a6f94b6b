/**
 * Wires Pi's events to what writes summaries: compactions, branches that are left, cold returns, and the request that they
 * begin with. Holds no rule.
 */

import { Compactions } from "./compaction.ts";
import { findOrphans, learner } from "./core.ts";
import type { Hooks } from "./hooks.ts";
import type { ExtensionAPI, ExtensionContext, Host, SessionBoundaryDraft } from "./host.ts";
import { ModelChain } from "./models.ts";
import type { Notices } from "./notices.ts";
import { repairPayload } from "./payload.ts";
import type { Runs } from "./run.ts";
import type { SessionCore } from "./session-core.ts";
import type { Settings } from "./settings.ts";
import { Ahead } from "./summary/ahead.ts";
import { AtReturn } from "./summary/at-return.ts";
import { Sent } from "./summary/sent.ts";
import { compactionLine, summaryLines } from "./summary/told.ts";

export interface Parts {
	readonly pi: ExtensionAPI;
	readonly host: Host;
	readonly settings: Settings;
	readonly core: SessionCore;
	readonly runs: Runs;
	readonly notices: Notices;
	/** Whether pi-zip is on. */
	readonly isOn: () => boolean;
	/** What the next boundary is to persist beside a summary. */
	readonly drafts: (ctx: ExtensionContext) => readonly SessionBoundaryDraft[];
	/** Has the end of the turn persist; before a compaction would come, folds as well. */
	readonly persist: (then?: { fold: true }) => void;
	/** Has folds persisted before Pi comes to rest, and the run go on where it was cut short. */
	readonly recover: (goOn: boolean) => void;
}

export class Summarising {
	/** Who writes summaries, and reads originals for a question. */
	readonly chain: ModelChain;
	readonly #parts: Parts;
	readonly #sent: Sent;
	readonly #compactions: Compactions;
	readonly #atReturn: AtReturn;
	readonly #ahead: Ahead;

	constructor(parts: Parts) {
		this.#parts = parts;
		const { host, isOn, settings } = parts;
		const sent = new Sent(host, (payload) => repairPayload(payload, findOrphans));
		const chain = new ModelChain(() => settings.summaryModels);
		const compactions = new Compactions({ ...parts, sent, chain }, parts.recover);
		const when = settings.summariesWhen;
		const isOnAtReturns = () => isOn() && (when === "return" || when === "both");
		const atReturn = new AtReturn({ ...parts, compactions, sent, isOn: isOnAtReturns, persist: () => parts.persist() });
		this.chain = chain;
		this.#sent = sent;
		this.#compactions = compactions;
		this.#atReturn = atReturn;
		this.#ahead = new Ahead({ ...parts, when, compactions, sent, atReturn, edges: learner.edges });
	}

	/** Whether the last request was what Pi makes of the session; undefined where none is known. */
	isPisOwn(ctx: ExtensionContext): Promise<boolean | undefined> {
		return this.#sent.isPisOwn(ctx, (view) => this.#parts.runs.preview(view));
	}

	/** What was held and prepared no longer holds. */
	drop(): void {
		this.#sent.drop();
		this.#atReturn.drop();
		this.#ahead.discard();
	}

	/** The session is over. */
	close(): void {
		this.#sent.drop();
		this.#atReturn.close();
		this.#ahead.close();
	}

	/** Whether a summary went out that Pi has not persisted. */
	isUnpersisted(ctx: ExtensionContext): boolean {
		return this.#atReturn.isUnpersisted(ctx);
	}

	/** What a boundary has to persist of summaries, behind the drafts of others; undefined where there is nothing. */
	draftsBehind(others: readonly SessionBoundaryDraft[], ctx: ExtensionContext): SessionBoundaryDraft[] | undefined {
		return this.#atReturn.draftsBehind(others, ctx);
	}

	/** A run begins. */
	started(): void {
		this.#ahead.started();
		this.#atReturn.started();
	}

	/** A request of the session is about to be made. */
	expect(): void {
		this.#sent.expect();
	}

	/** The run has come to rest. */
	rested(ctx: ExtensionContext): void {
		const left = () => {
			const { state, coldAt } = this.#parts.core.status(ctx).cache;
			return state === "warm" && coldAt !== undefined ? coldAt - Date.now() : 0;
		};
		this.#compactions.countUnused(ctx);
		if (!this.#parts.isOn()) {
			this.#sent.drop();
			return;
		}
		// Print and JSON modes start nothing in the background.
		if (ctx.hasUI) this.#sent.rest(ctx, left);
		this.#ahead.rested(ctx);
	}

	/** The body that goes out instead of one of the session's, with the summary of a return in it. */
	request(payload: unknown, ctx: ExtensionContext): Promise<unknown> | undefined {
		return this.#atReturn.request(payload, ctx);
	}

	/** A body goes out like this, as far as we can see. */
	keep(payload: unknown, ctx: ExtensionContext): void {
		if (this.#parts.isOn()) this.#sent.keep(payload, ctx);
	}

	listen(hooks: Hooks): void {
		const { core, isOn, notices, persist } = this.#parts;
		hooks.on("input", (event, ctx) => this.#ahead.prompted(event, ctx));
		hooks.on("message_end", ({ message }, ctx) => {
			if (isOn() && this.#compactions.isFullAfter(message, ctx)) persist({ fold: true });
		});
		hooks.on("session_before_compact", (event, ctx) => {
			if (this.#ahead.isAsked) return this.#ahead.answer(event, ctx);
			return isOn() ? this.#compactions.before(event, ctx) : undefined;
		});
		// What another model, or one that thinks otherwise, is sent does not go on from what was sent.
		hooks.on("model_select", (_event, ctx) => this.#sent.free(ctx));
		hooks.on("thinking_level_select", (_event, ctx) => this.#sent.free(ctx));
		hooks.on("session_before_tree", (event, ctx) => (isOn() ? this.#compactions.beforeTree(event, ctx) : undefined));
		hooks.on("session_compact", ({ compactionEntry }, ctx) => {
			this.#compactions.countUnused(ctx);
			const line = compactionLine(compactionEntry, core.status(ctx).context);
			if (line && !notices.quiet) notices.say(line, ctx);
		});
	}

	/** What `/zip` shows. */
	lines(ctx: ExtensionContext): string[] {
		const { unread } = this.#compactions;
		return [...summaryLines(ctx.sessionManager.getBranch()), ...(unread ? [unread] : [])];
	}
}
