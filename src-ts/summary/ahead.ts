/**
 * When a summary is written without Pi asking for one: while the user is away and the cache is still warm, so that a return
 * to a cold cache finds it ready; and what becomes of it at the return.
 *
 * It takes effect as a compaction that we ask Pi for before the prompt goes to work, so that it is on the branch in
 * front of the first request, and Pi shows progress and takes Esc. What is written for nothing is counted in the session.
 * How a summary is written is `summaries.ts`, whether it is worth its price `worth.ts`.
 */

import { setTimeout as wait } from "node:timers/promises";
import type { Status } from "../asked.ts";
import type { Compactions, CompactResult } from "../compaction.ts";
import type { ExtensionContext, InputEvent, SessionBeforeCompactEvent } from "../host.ts";
import type { Notices } from "../notices.ts";
import type { SessionCore } from "../session-core.ts";
import { later, type Timer } from "../timer.ts";
import type { AtReturn } from "./at-return.ts";
import {
	begin,
	countUnused,
	type Job,
	type Moment,
	outcome,
	outlookOf,
	waitedFor,
	withoutLine,
	worthAtReturn,
} from "./job.ts";
import type { Sent } from "./sent.ts";
import { compactionOfOurs } from "./summaries.ts";
import { absence, needsSummary, type Outlook, paysAhead, paysWarm } from "./worth.ts";

/** The part of the cache's lifetime after which a summary is begun: what is left is time to write it in. */
const BEGIN_AFTER = 0.8;
/** Milliseconds for which a second prompt waits until the first one has gone to work. */
const HAND_OVER = 2_000;

/** `ahead`: while the user is away; `return`: at a cold return that finds none; `both`; `never`. */
export type When = "ahead" | "return" | "both" | "never";

export interface Parts {
	readonly when: When;
	readonly compactions: Compactions;
	readonly core: SessionCore;
	readonly notices: Notices;
	readonly sent: Sent;
	/** What becomes of a return for which nothing was decided here. */
	readonly atReturn: AtReturn;
	/** Where bins of gaps begin, in milliseconds. */
	readonly edges: () => ArrayLike<number>;
	/** Whether pi-zip is on. */
	readonly isOn: () => boolean;
}

export class Ahead {
	readonly #parts: Parts;
	#timer: Timer | undefined;
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
		if ((when === "ahead" || when === "both") && isInteractive(ctx) && isOn()) this.#arm(ctx);
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
		const delay = dueIn(this.#parts.core.status(ctx));
		if (delay === undefined) return;
		const fire = () => {
			this.#timer = undefined;
			// Nobody waits for it. A context whose session was replaced throws at each touch.
			this.#fire(ctx).catch(() => {});
		};
		this.#timer = later(delay, fire);
	}

	async #fire(ctx: ExtensionContext): Promise<void> {
		const { compactions, core, edges, isOn } = this.#parts;
		if (this.#job || !isOn() || !ctx.isIdle()) return;
		const status = core.status(ctx);
		const delay = dueIn(status);
		if (delay === undefined) return;
		// Pi has refreshed the cache meanwhile.
		if (delay > 0) return this.#arm(ctx);
		const { signal } = this.#end;
		const leafId = ctx.sessionManager.getLeafId();
		const prepared = await compactions.prepare(ctx, { ahead: true });
		const outlook = prepared && outlookOf(momentOf(status), prepared);
		if (!prepared || !outlook || !needsSummary(outlook, core.target(ctx))) return;
		const lifetime = status.cache.lifetime ?? 0;
		if (!paysAhead(outlook, absence(BEGIN_AFTER * lifetime, lifetime, core.userReturns, edges()))) return;
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
		const { atReturn, core, isOn, sent, when } = this.#parts;
		const job = this.#job;
		this.#job = undefined;
		// Without a request of this process there is nothing to tell by; the one that is about to be made tells it.
		if (!job && (!isInteractive(ctx) || !sent.isKnown)) return;
		atReturn.decided();
		if (!job && (when === "ahead" || when === "never" || !isOn())) return;
		const status = core.status(ctx);
		const isCold = status.cache.state === "cold";
		if (!job) return isCold ? this.#writeNow(status, ctx) : undefined;
		const isUsed = isOn() && !job.hasFailed && isCurrent(job, ctx) && (isCold || paysWarm(job.outlook));
		if (!isUsed) return this.#count(job);
		await this.#compact(() => job, ctx);
	}

	/** At a cold return that finds nothing ready. */
	async #writeNow(status: Status, ctx: ExtensionContext): Promise<void> {
		const { compactions, core } = this.#parts;
		const moment = momentOf(status);
		const target = core.target(ctx);
		if (moment.folded <= target) return;
		const prepared = await compactions.prepare(ctx);
		if (!prepared || !worthAtReturn(moment, prepared, target)) return;
		await this.#compact((signal) => begin(waitedFor(prepared), ctx, signal), ctx);
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
		const result = await outcome(job, signal);
		if ("written" in result)
			return { compaction: compactionOfOurs(result.written, job.prepared.keptId, preparation.tokensBefore) };
		this.#parts.notices.say(withoutLine(result.why), ctx);
		this.#count(job);
		return { cancel: true };
	}

	#count(job: Job): void {
		countUnused(job, () => this.#end.signal.aborted);
	}
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

function isInteractive({ mode }: ExtensionContext): boolean {
	return mode === "tui" || mode === "rpc";
}

function momentOf({ context, factor, figures, foldable }: Status): Moment {
	return { context, folded: context - foldable.tokens, factor, figures };
}
