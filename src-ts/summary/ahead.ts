/**
 * When a summary is written without Pi asking for one: while the user is away and the cache is still warm, so that a return
 * to a cold cache finds it ready; and what becomes of it at the return.
 *
 * It takes effect as a compaction that we ask Pi for before the prompt goes to work, so that it is on the branch in
 * front of the first request, and Pi shows progress and takes Esc. What is written for nothing is counted in the session.
 * How a summary is written is `summaries.ts`, whether it is worth its price `worth.ts`.
 */

import { setTimeout as wait } from "node:timers/promises";
import { type Compactions, type CompactResult, compactionOfOurs, type Prepared } from "../compaction.ts";
import type { Status } from "../core.ts";
import {
	CHARACTERS_A_TOKEN,
	type ExtensionContext,
	type InputEvent,
	physicalModel,
	type SessionBeforeCompactEvent,
	type Usage,
} from "../host.ts";
import type { Notices } from "../notices.ts";
import type { Runs } from "../run.ts";
import { UNUSED_KIND, type Written, write } from "./summaries.ts";
import { absence, NARRATIVE_TOKENS, needsSummary, type Outlook, paysAhead, paysAtReturn, paysWarm } from "./worth.ts";

/** The part of the cache's lifetime after which a summary is begun: what is left is time to write it in. */
const BEGIN_AFTER = 0.8;
/** Longest delay of a timer, in milliseconds: what is longer fires at once. */
const LONGEST_DELAY = 2 ** 31 - 1;
/** Milliseconds for which a second prompt waits until the first one has gone to work. */
const HAND_OVER = 2_000;

/** `ahead`: while the user is away; `return`: at a cold return that finds none; `both`; `never`. */
export type When = "ahead" | "return" | "both" | "never";

export interface Parts {
	readonly when: When;
	readonly compactions: Compactions;
	readonly runs: Runs;
	readonly notices: Notices;
	/** Where bins of gaps begin, in milliseconds. */
	readonly edges: () => ArrayLike<number>;
	/** Whether pi-zip is on. */
	readonly isOn: () => boolean;
}

interface Job {
	readonly prepared: Prepared;
	readonly written: Promise<Written | undefined>;
	readonly model: { readonly provider: string; readonly id: string };
	/** The branch's end when it was begun. */
	readonly leafId: string | null;
	readonly ctx: ExtensionContext;
	/** It came to an end without a narrative. */
	hasFailed: boolean;
}

export class Ahead {
	readonly #parts: Parts;
	#timer: ReturnType<typeof setTimeout> | undefined;
	/** Written, or being written, for the next return. */
	#job: (Job & { readonly outlook: Outlook }) | undefined;
	/** Ends what is being written, at the end of the session. */
	readonly #end = new AbortController();
	/** What the compaction that we have asked Pi for is answered with. */
	#asked: ((signal: AbortSignal) => Job) | undefined;
	/** While a prompt waits for a summary: `go` is called once it has gone to work, and `done` resolves. */
	#handOver: { readonly done: Promise<void>; readonly go: () => void } | undefined;

	constructor(parts: Parts) {
		this.#parts = parts;
	}

	/** The run has come to rest: plans the summary of this absence. */
	rested(ctx: ExtensionContext): void {
		this.#stopTimer();
		// Print and JSON modes start nothing in the background.
		const { isOn, when } = this.#parts;
		const isInteractive = ctx.mode === "tui" || ctx.mode === "rpc";
		if ((when === "ahead" || when === "both") && isInteractive && isOn()) this.#arm(ctx);
	}

	/** The branch, or what may be sent of it, is no longer what it was. */
	discard(): void {
		this.#stopTimer();
		const job = this.#job;
		this.#job = undefined;
		if (job) this.#count(job);
	}

	/** A run begins: the prompt that waited is at work. */
	started(): void {
		this.#stopTimer();
		this.#goOn();
	}

	/** The session is over. */
	close(): void {
		this.#stopTimer();
		this.#job = undefined;
		this.#goOn();
		this.#end.abort();
	}

	/** Nobody waits any more. */
	#goOn(): void {
		this.#handOver?.go();
		this.#handOver = undefined;
	}

	#stopTimer(): void {
		clearTimeout(this.#timer);
		this.#timer = undefined;
	}

	#arm(ctx: ExtensionContext): void {
		const delay = dueIn(this.#parts.runs.status(ctx));
		if (delay === undefined || delay > LONGEST_DELAY) return;
		const fire = () => {
			this.#timer = undefined;
			// Nobody waits for it. A context whose session was replaced throws at each touch.
			this.#fire(ctx).catch(() => {});
		};
		this.#timer = setTimeout(fire, Math.max(0, delay));
		this.#timer.unref();
	}

	async #fire(ctx: ExtensionContext): Promise<void> {
		const { compactions, edges, runs, isOn } = this.#parts;
		if (this.#job || !isOn() || !ctx.isIdle()) return;
		const status = runs.status(ctx);
		const delay = dueIn(status);
		if (delay === undefined) return;
		// Pi has refreshed the cache meanwhile.
		if (delay > 0) return this.#arm(ctx);
		const { signal } = this.#end;
		const leafId = ctx.sessionManager.getLeafId();
		const prepared = await compactions.prepare(ctx, signal, true);
		const outlook = prepared && outlookOf(status, prepared);
		if (!prepared || !outlook || !needsSummary(outlook, runs.target(ctx))) return;
		const lifetime = status.cache.lifetime ?? 0;
		if (!paysAhead(outlook, absence(BEGIN_AFTER * lifetime, lifetime, runs.userReturns, edges()))) return;
		// The user may have come back, or gone elsewhere, while it was looked at.
		if (signal.aborted || this.#timer || !ctx.isIdle() || ctx.sessionManager.getLeafId() !== leafId) return;
		this.#job = Object.assign(begin(prepared, ctx, signal), { outlook });
	}

	/** A prompt was sent and is not at work yet. Once this resolves, it may go to work. */
	async prompted({ streamingBehavior }: InputEvent, ctx: ExtensionContext): Promise<void> {
		this.#stopTimer();
		// One that was typed while another waited comes behind it.
		if (this.#handOver) await Promise.race([this.#handOver.done, wait(HAND_OVER, undefined, { ref: false })]);
		if (streamingBehavior !== undefined || !ctx.isIdle()) return;
		const { isOn, runs, when } = this.#parts;
		const job = this.#job;
		this.#job = undefined;
		if (!job && (when === "ahead" || when === "never" || !isOn())) return;
		const status = runs.status(ctx);
		const isCold = status.cache.state === "cold";
		if (!job) return isCold ? this.#writeNow(status, ctx) : undefined;
		const isUsed = isOn() && !job.hasFailed && isCurrent(job, ctx) && (isCold || paysWarm(job.outlook));
		if (!isUsed) return this.#count(job);
		await this.#compact(() => job, ctx);
	}

	/** At a cold return that finds nothing ready. */
	async #writeNow(status: Status, ctx: ExtensionContext): Promise<void> {
		const { compactions, runs } = this.#parts;
		if (status.context - status.foldable.tokens <= runs.target(ctx)) return;
		const prepared = await compactions.prepare(ctx, this.#end.signal, false);
		const outlook = prepared && outlookOf(status, prepared);
		if (!prepared || !outlook || !needsSummary(outlook, runs.target(ctx))) return;
		if (!paysAtReturn(outlook, status.context + status.folded.tokens)) return;
		await this.#compact((signal) => begin(prepared, ctx, signal), ctx);
	}

	/** Has Pi compact by a summary of ours. Where it is stopped, or there is none, folds alone are left. */
	async #compact(asked: (signal: AbortSignal) => Job, ctx: ExtensionContext): Promise<void> {
		this.#asked = asked;
		const { promise, resolve } = Promise.withResolvers<void>();
		this.#handOver = { done: promise, go: resolve };
		await new Promise<void>((done) => ctx.compact({ onComplete: () => done(), onError: () => done() }));
		this.#asked = undefined;
	}

	/** Whether the compaction that Pi is about to make is the one that we have asked for. */
	get isAsked(): boolean {
		return this.#asked !== undefined;
	}

	/** What that one is answered with. */
	async answer({ preparation, signal }: SessionBeforeCompactEvent, ctx: ExtensionContext): Promise<CompactResult> {
		const job = this.#asked?.(signal);
		this.#asked = undefined;
		if (!job) return { cancel: true };
		const stopped = new Promise<undefined>((done) => {
			if (signal.aborted) done(undefined);
			else signal.addEventListener("abort", () => done(undefined), { once: true });
		});
		const written = await Promise.race([job.written, stopped]);
		const { keptId } = job.prepared;
		if (written && isWhole(written) && !signal.aborted)
			return { compaction: compactionOfOurs(written, keptId, preparation.tokensBefore) };
		const why = signal.aborted ? "stopped" : `not written (${written?.details.reason ?? "it failed"})`;
		this.#parts.notices.say(`pi-zip · the summary was ${why}: the request goes out with folds alone`, ctx);
		this.#count(job);
		return { cancel: true };
	}

	/** Counts what was written for nothing, once it is written. */
	#count({ written, model, ctx }: Job): void {
		const add = ({ usage, details }: Written) => {
			if (!usage || this.#end.signal.aborted) return;
			// As Pi's own cache warmer counts its requests; not in Pi's types.
			const session = ctx.sessionManager as { appendUsage?: AppendUsage };
			session.appendUsage?.(UNUSED_KIND, model.provider, model.id, usage, `not used (${details.reason})`);
		};
		written.then((done) => done && add(done)).catch(() => {});
	}
}

type AppendUsage = (kind: string, provider: string, model: string, usage: Usage, note: string) => unknown;

function begin(prepared: Prepared, ctx: ExtensionContext, signal: AbortSignal): Job {
	const { provider = "", id = "" } = physicalModel(ctx) ?? {};
	const leafId = ctx.sessionManager.getLeafId();
	const written = write(prepared.request, ctx, signal).catch(() => undefined);
	const job: Job = { prepared, written, model: { provider, id }, leafId, ctx, hasFailed: false };
	void written.then((done) => {
		job.hasFailed = !isWhole(done);
	});
	return job;
}

/** Whether there is a narrative: without one, folds alone keep more. */
function isWhole(written: Written | undefined): boolean {
	return written !== undefined && written.details.path !== "fixed part only";
}

/** Milliseconds until a summary is due; undefined where the cache is not warm. */
function dueIn({ cache }: Status): number | undefined {
	const { state, coldAt, lifetime } = cache;
	if (state !== "warm" || coldAt === undefined || lifetime === undefined) return undefined;
	return coldAt - (1 - BEGIN_AFTER) * lifetime - Date.now();
}

/** Whether the branch goes on from where the summary was begun, and nothing was summed up since. */
function isCurrent({ leafId, prepared }: Job, ctx: ExtensionContext): boolean {
	const branch = ctx.sessionManager.getBranch();
	const leaf = branch.findIndex(({ id }) => id === leafId);
	const holds = branch[prepared.request.range.until]?.id === prepared.keptId;
	return leaf >= 0 && holds && branch.slice(leaf + 1).every(({ type }) => type !== "compaction");
}

function outlookOf(status: Status, { request }: Prepared): Outlook | undefined {
	const { context, factor, figures, foldable } = status;
	if (!figures) return undefined;
	const { input, output, read, write } = figures;
	const size = (units: number) => (units / CHARACTERS_A_TOKEN) * factor;
	const summary = size(request.fixed.length) + NARRATIVE_TOKENS;
	const summarised = Math.max(0, context - size(request.range.units)) + summary;
	return { context, folded: context - foldable.tokens, summarised, input, output, read, write };
}
