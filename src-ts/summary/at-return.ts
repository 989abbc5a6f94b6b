/**
 * The summary of a cold return whose request shows, as the first one of this process, whether another extension keeps
 * something out of requests: in print and JSON modes, and in a session that was just opened.
 *
 * It is written while that request waits, and goes out with it in place of what it sums up: the body is what Pi will write
 * once the summary is a compaction on the branch, which the end of the turn makes it. Until Pi has taken it, each request is
 * written in this way. Whatever fails, or takes too long, the request goes out with folds alone.
 */

import type { Compactions } from "../compaction.ts";
import {
	ancestry,
	type CompactionEntryDraft,
	type ExtensionContext,
	type Host,
	type Message,
	type SessionBoundaryDraft,
} from "../host.ts";
import type { Notices } from "../notices.ts";
import type { Runs } from "../run.ts";
import type { SessionCore } from "../session-core.ts";
import { waiting } from "./esc.ts";
import { begin, countUnused, outcome, waitedFor, withoutLine, worthAtReturn } from "./job.ts";
import type { Sent } from "./sent.ts";
import { writtenLine } from "./told.ts";

export interface Parts {
	readonly host: Host;
	readonly compactions: Compactions;
	readonly core: SessionCore;
	readonly runs: Runs;
	readonly sent: Sent;
	readonly notices: Notices;
	/** Whether summaries are written at returns, and pi-zip is on. */
	readonly isOn: () => boolean;
	/** What the boundary after this request is to persist beside the summary. */
	readonly drafts: (ctx: ExtensionContext) => readonly SessionBoundaryDraft[];
	/** Has the next boundary persist. */
	readonly persist: () => void;
}

export class AtReturn {
	readonly #parts: Parts;
	/** What a run begins with has been decided already. */
	#isDecided = false;
	/** No request of the present run has gone out yet, and nothing was decided for it. */
	#isFirst = false;
	/** What requests carry and Pi has not taken. */
	#carried: CompactionEntryDraft | undefined;
	#isOver = false;

	constructor(parts: Parts) {
		this.#parts = parts;
	}

	/** For the run that is about to begin it was looked already whether a summary is worth writing. */
	decided(): void {
		this.#isDecided = true;
	}

	/** A run begins. */
	started(): void {
		this.#isFirst = !this.#isDecided;
		this.#isDecided = false;
	}

	/** The branch is no longer what it was. */
	drop(): void {
		this.#carried = undefined;
	}

	close(): void {
		this.#isOver = true;
		this.drop();
	}

	/** Whether a summary went out that Pi has not persisted. */
	isUnpersisted({ sessionManager }: Pick<ExtensionContext, "sessionManager">): boolean {
		const carried = this.#carried;
		if (!carried) return false;
		for (const entry of ancestry(sessionManager)) {
			if (entry.type === "compaction" && entry.summary === carried.summary) this.#carried = undefined;
			if (entry.id === carried.firstKeptEntryId || !this.#carried) break;
		}
		return this.#carried !== undefined;
	}

	/** What a boundary has to persist, behind the drafts of others; undefined where there is nothing. */
	draftsBehind(others: readonly SessionBoundaryDraft[], ctx: ExtensionContext): SessionBoundaryDraft[] | undefined {
		return this.isUnpersisted(ctx) && this.#carried ? [...others, this.#carried] : undefined;
	}

	/** A request of the session is about to go out: what goes out instead, or undefined where it stays as it is. */
	request(payload: unknown, ctx: ExtensionContext): Promise<unknown> | undefined {
		const { isOn, runs, sent } = this.#parts;
		if (!sent.isExpected) return undefined;
		const isFirst = this.#isFirst;
		this.#isFirst = false;
		if (this.isUnpersisted(ctx)) return this.#repeat(payload, ctx);
		const { plan } = runs;
		if (!isFirst || !isOn() || plan?.cache.state !== "cold" || plan.after <= plan.target) return undefined;
		return this.#write(payload, ctx);
	}

	async #write(payload: unknown, ctx: ExtensionContext): Promise<unknown> {
		const { compactions, core, drafts, host, notices, persist, runs, sent } = this.#parts;
		const { plan } = runs;
		if (!plan) return undefined;
		sent.show(payload, ctx);
		const signal = ctx.signal ?? new AbortController().signal;
		const prepared = await compactions.prepare(ctx, { view: () => this.#project(ctx, drafts(ctx)) });
		const moment = { ...plan, context: plan.before, folded: plan.after };
		const outlook = prepared && worthAtReturn(moment, prepared, plan.target);
		if (!outlook) return undefined;
		const atOnce = ctx.mode === "tui" ? ", at once with Esc" : "";
		notices.say(
			`pi-zip · the work so far is being summed up; the prompt goes out behind it, in 2 minutes at most${atOnce}`,
			ctx,
		);
		const { request, keptId } = prepared;
		const { signal: stop, end } = waiting(host, ctx, signal);
		const job = begin(waitedFor(prepared), ctx, stop);
		const result = await outcome(job, stop).finally(end);
		const count = () => countUnused(job, () => this.#isOver);
		if (!("written" in result) || result.written.summary.length >= request.range.units) {
			const why = "why" in result ? result.why : "no shorter";
			notices.say(signal.aborted ? "pi-zip · the summary was stopped with the run" : withoutLine(why), ctx);
			count();
			return undefined;
		}
		const { summary, details, usage } = result.written;
		const firstKeptEntryId = keptId;
		const draft = { type: "compaction" as const, summary, firstKeptEntryId, details, ...(usage ? { usage } : {}) };
		const body = await this.#rewritten(draft, ctx);
		if (body === undefined) {
			count();
			return undefined;
		}
		this.#carried = draft;
		core.changedFrom(request.entries[0]?.id);
		persist();
		notices.say(writtenLine(details, plan.before, outlook.summarised), ctx);
		return body;
	}

	async #repeat(payload: unknown, ctx: ExtensionContext): Promise<unknown> {
		const { persist, sent } = this.#parts;
		persist();
		sent.show(payload, ctx);
		return this.#carried && this.#rewritten(this.#carried, ctx);
	}

	#rewritten(draft: CompactionEntryDraft, ctx: ExtensionContext): Promise<unknown> {
		const { drafts, sent } = this.#parts;
		return sent.rewritten(this.#project(ctx, [...drafts(ctx), draft]), ctx);
	}

	/** Pi's projection of the session once it has persisted this. */
	#project({ cwd, sessionManager }: ExtensionContext, drafts: readonly SessionBoundaryDraft[]): readonly Message[] {
		const header = sessionManager.getHeader();
		if (!header) throw new Error("the session has no header");
		const preview = this.#parts.host.pi.SessionManager.inMemory(cwd, undefined, [
			header,
			...sessionManager.getBranch(),
		]);
		for (const draft of drafts) {
			if (draft.type === "context_edit") preview.appendContextEdit(draft.targetId, draft.replacement);
			else if (draft.type === "compaction")
				preview.appendCompaction(draft.summary, draft.firstKeptEntryId, 0, draft.details, true, draft.usage);
		}
		return preview.buildSessionProjection().messages;
	}
}
