/**
 * What becomes of a compaction: folds in its place where they make real room, else a summary of ours, else Pi's own.
 *
 * Folding keeps what the view says and costs no model call, so it comes first: at the end of the turn whose results fill
 * the context, so that Pi has no reason to ask; before a prompt, and after an overflow, by cancelling. Nothing is appended
 * here. Wherever there is nothing of ours to give, nothing is returned: an empty object would discard what another
 * extension gave.
 */

import { lengthOf } from "./content.ts";
import {
	CHARACTERS_A_TOKEN,
	compactionOf,
	type ExtensionAPI,
	type ExtensionContext,
	type Host,
	keptTokens,
	type MessageEndEvent,
	physicalModel,
	type SessionBeforeCompactEvent,
	type SessionBeforeTreeEvent,
	type Usage,
} from "./host.ts";
import type { ModelChain } from "./models.ts";
import { RECALL_TOOL } from "./recall.ts";
import type { Runs } from "./run.ts";
import type { SessionCore } from "./session-core.ts";
import type { Settings } from "./settings.ts";
import { detailsOf, type SummaryDetails } from "./summary/details.ts";
import { addUnused } from "./summary/job.ts";
import { cutRange, firstFresh, tailRange } from "./summary/range.ts";
import type { Sent, View } from "./summary/sent.ts";
import {
	askCore,
	type Compaction,
	compactionOfOurs,
	type FromCore,
	type Prepared,
	paid,
	type Request,
	type Written,
	write,
} from "./summary/summaries.ts";

export interface Parts {
	readonly pi: ExtensionAPI;
	readonly host: Host;
	readonly settings: Settings;
	readonly core: SessionCore;
	readonly runs: Runs;
	readonly sent: Sent;
	/** Who writes narratives. */
	readonly chain: ModelChain;
}

export type CompactResult = { cancel: true } | { compaction: Compaction };

export type TreeResult = { summary: { summary: string; details: SummaryDetails; usage?: Usage } };

export class Compactions {
	readonly #parts: Parts;
	readonly #recover: (goOn: boolean) => void;
	/** A summary by the cache has not read it: somebody behind us changes requests. */
	#unread = false;
	/** Written in vain, and not counted yet. */
	readonly #unused: Written[] = [];
	/** Tokens of the context by Pi's reckoning: the last report, and what came since. */
	#used = 0;

	/** `recover` has folds persisted before Pi comes to rest, and the run go on where it was cut short. */
	constructor(parts: Parts, recover: (goOn: boolean) => void) {
		this.#parts = parts;
		this.#recover = recover;
	}

	/** Takes note of a message; whether Pi would compact once this turn has ended. */
	isFullAfter(message: MessageEndEvent["message"], ctx: ExtensionContext): boolean {
		if (message.role === "assistant") this.#used = message.stopReason === "error" ? 0 : message.usage.totalTokens;
		else if (message.role === "toolResult" && this.#used > 0)
			this.#used += Math.ceil(lengthOf(message.content) / CHARACTERS_A_TOKEN);
		else return false;
		const trigger = compactionOf(this.#parts.pi.getSettings(), physicalModel(ctx)).trigger;
		return trigger !== undefined && this.#used > trigger;
	}

	/** What is answered to Pi before it compacts. */
	async before(event: SessionBeforeCompactEvent, ctx: ExtensionContext): Promise<CompactResult | undefined> {
		const { runs, settings } = this.#parts;
		if (event.reason !== "manual" && this.#foldInstead(event, ctx)) return { cancel: true };
		if (settings.summaries === "off" || runs.isForeign) return undefined;
		const { preparation, customInstructions, signal } = event;
		const { messagesToSummarize, turnPrefixMessages, previousSummary = "" } = preparation;
		const replaced = [...messagesToSummarize, ...turnPrefixMessages];
		const added = replaced.reduce((sum, it) => sum + this.#parts.host.pi.estimateTokens(it), 0) * CHARACTERS_A_TOKEN;
		// What was summed up last goes as well.
		const units = added + previousSummary.length;
		const asked = this.#parts.core.ask(ctx, (core, feed) => {
			const range = cutRange(core, feed, event.branchEntries, preparation.firstKeptEntryId, units);
			return range && { range, ...askCore(core, feed, range) };
		});
		const unchanged = customInstructions === undefined ? repeated(event) : undefined;
		if (!asked) return unchanged && { compaction: unchanged };
		const request = await this.#request(asked, customInstructions, ctx);
		// A model that may not be asked cannot do what the user wants of the summary.
		if (event.reason === "manual" && request.silent) return undefined;
		const written = await write(request, ctx, signal);
		if (signal.aborted) {
			this.#unused.push(written);
			return undefined;
		}
		// What is new is shorter than the summary that would tell of it. What was asked for it is paid all the same.
		const isLonger = written.summary.length >= units;
		if (isLonger && unchanged) return { compaction: { ...unchanged, ...paid(written) } };
		const kept = request.entries[request.range.until];
		// Where it makes no room, and where the user asks and no model tells of it, Pi's own may do better.
		if (isLonger || !kept || (event.reason === "manual" && written.details.path === "fixed part only")) {
			this.#unused.push(written);
			return undefined;
		}
		return { compaction: compactionOfOurs(written, kept.id, preparation.tokensBefore) };
	}

	/** Counts what was written for nothing. Not inside a compaction, to which nothing may be added. */
	countUnused(ctx: ExtensionContext): void {
		const { provider = "", id = "" } = physicalModel(ctx) ?? {};
		for (const written of this.#unused.splice(0)) addUnused(written, { provider, id }, ctx);
	}

	/**
	 * What a summary of all but the newest messages would be written from; undefined where there is nothing to sum up, or
	 * nobody may be asked. `ahead`: by the session's own request or not at all. `view` is what the last request was to show, where
	 * that is not what Pi has.
	 */
	async prepare(
		ctx: ExtensionContext,
		{ ahead, view }: { ahead?: boolean; view?: View } = {},
	): Promise<Prepared | undefined> {
		const { host, pi, runs, settings } = this.#parts;
		if (settings.summaries === "off" || runs.isForeign || runs.paused !== undefined) return undefined;
		const keep = keptTokens(pi.getSettings(), physicalModel(ctx));
		const asked = this.#parts.core.ask(ctx, (core, feed) => {
			const range = tailRange(core, feed, ctx, keep, (message) => host.pi.estimateTokens(message));
			return range && { range, ...askCore(core, feed, range) };
		});
		const kept = asked?.entries[asked.range.until];
		if (!asked || !kept) return undefined;
		const request = await this.#request(asked, undefined, ctx, view);
		if (request.silent || (ahead && !request.extend)) return undefined;
		return { request: ahead ? { ...request, onlyExtend: true } : request, keptId: kept.id };
	}

	/** Whether folds come in place of a compaction that Pi makes by itself. */
	#foldInstead({ reason, willRetry }: SessionBeforeCompactEvent, ctx: ExtensionContext): boolean {
		const { runs } = this.#parts;
		if (runs.foldAtStart(ctx)) return true;
		if (reason !== "overflow" || !runs.canFold(ctx)) return false;
		this.#recover(willRetry);
		return true;
	}

	/** The summary of a branch that is left, where the user wants one. */
	async beforeTree(
		{ preparation, signal }: SessionBeforeTreeEvent,
		ctx: ExtensionContext,
	): Promise<TreeResult | undefined> {
		const { runs, settings } = this.#parts;
		const { entriesToSummarize, commonAncestorId, customInstructions } = preparation;
		if (!preparation.userWantsSummary || entriesToSummarize.length === 0) return undefined;
		if (settings.summaries === "off" || runs.isForeign) return undefined;
		const asked = this.#parts.core.ask(ctx, (core, feed) => {
			const from = commonAncestorId === null ? 0 : (feed.position(commonAncestorId) ?? -2) + 1;
			if (from < 0) return undefined;
			const units = entriesToSummarize.reduce((sum, entry) => sum + JSON.stringify(entry).length, 0);
			const left = Array.from({ length: feed.length - from }, (_, index) => feed.entry(from + index));
			const fresh = Math.max(from, firstFresh(feed, left));
			const range = { from, until: feed.length, fresh, units };
			return { range, ...askCore(core, feed, range) };
		});
		const request = asked && (await this.#request(asked, customInstructions, ctx));
		if (!request || request.silent) return undefined;
		const written = await write(request, ctx, signal);
		const { summary, details } = written;
		if (signal.aborted || details.path === "fixed part only") {
			this.#unused.push(written);
			return undefined;
		}
		return { summary: { summary: BRANCH_PREAMBLE + summary, details, ...paid(written) } };
	}

	/**
	 * The way by the warm cache, where there is one, and the model whose it is is to write. What a first summary did not
	 * read, a second will not.
	 */
	#extension(ctx: ExtensionContext): Request["extend"] {
		const { chain, core, sent, settings } = this.#parts;
		if (chain.models(ctx)[0] !== physicalModel(ctx)) return undefined;
		if (settings.summaries !== "cached" || this.#unread || core.status(ctx).cache.state !== "warm") return undefined;
		return async (instruction, signal) => {
			const answer = await sent.extend(instruction, ctx, signal);
			if (answer?.usage && answer.stopReason !== "error" && answer.stopReason !== "aborted") {
				const { input, cacheRead, cacheWrite } = answer.usage;
				const isRead = cacheRead >= LEAST_READ * (input + cacheRead + cacheWrite);
				if (isRead) core.touched();
				else this.#unread = true;
			}
			return answer;
		};
	}

	/** Why summaries no longer try the cache; undefined where they do. */
	get unread(): string | undefined {
		return this.#unread ? "summaries: the cache was not read, so it is not tried again in this session" : undefined;
	}

	async #request(
		asked: FromCore & Pick<Request, "range">,
		instructions: string | undefined,
		ctx: ExtensionContext,
		view?: View,
	): Promise<Request> {
		const { chain, pi, runs, sent, settings } = this.#parts;
		// A request that is not Pi's own has passed somebody who redacts; where none is known, nobody can tell.
		const isOwn = runs.paused === undefined && (await sent.isPisOwn(ctx, view)) === true;
		return {
			...asked,
			instructions,
			recallable: pi.getActiveTools().includes(RECALL_TOOL),
			redacts: settings.redact,
			silent: isOwn ? undefined : "another extension changes the view",
			chain,
			extend: this.#extension(ctx),
		};
	}
}

/** The part of a summary's input below which it counts as not read from the cache. */
const LEAST_READ = 0.5;

/** What Pi itself writes in front of the summary of a branch. */
const BRANCH_PREAMBLE =
	"The user explored a different conversation branch before returning here.\nSummary of that exploration:\n\n";

/** The newest compaction once more, where it was ours and the user asks for another before there is anything to add. */
function repeated({ reason, preparation, branchEntries }: SessionBeforeCompactEvent): Compaction | undefined {
	const newest = branchEntries.findLast((entry) => entry.type === "compaction");
	if (reason !== "manual" || newest?.type !== "compaction") return undefined;
	const details = detailsOf(newest);
	// The cut stays where it was: Pi's may lie behind it, where no pair allows one.
	const { summary, firstKeptEntryId } = newest;
	return details && { summary, firstKeptEntryId, tokensBefore: preparation.tokensBefore, details };
}
