/**
 * Writes summaries: the fixed part by the core, the narrative by a model where one may be asked, and what the session
 * keeps of how it came about.
 *
 * Decides neither when there is a summary nor what becomes of it.
 */

import type { FixedPart } from "../answers.ts";
import type { Asked } from "../asked.ts";
import { handleOf } from "../core.ts";
import type { Feed } from "../feed.ts";
import type { AssistantMessage, ExtensionContext, SessionEntry, Usage } from "../host.ts";
import type { ModelChain } from "../models.ts";
import { RECALL_TOOL } from "../recall.ts";
import { redact } from "../redact.ts";
import { Slices } from "../slices.ts";
import { detailsOf, type SummaryDetails } from "./details.ts";
import { assemble } from "./fixed.ts";
import { olderNarrative, type Room, roomFor, roomForNarrative, type Tale, tell } from "./levels.ts";
import { type Narrative, narrate, type Outcome } from "./narrative.ts";
import { quotedText } from "./texts.ts";
import { transcript } from "./transcript.ts";
import { idOf, rootsIn, type Summary } from "./tree.ts";
import { uncached } from "./uncached.ts";

/** Milliseconds that models have for a narrative, all tries and parts together, while somebody can stop it. */
const MOST_TIME = 300_000;

/** Ends when `signal` does, or after so many milliseconds. */
function bounded(signal: AbortSignal, most: number): { signal: AbortSignal; clear: () => void } {
	const own = new AbortController();
	const timer = setTimeout(() => own.abort(), most);
	timer.unref();
	return { signal: AbortSignal.any([signal, own.signal]), clear: () => clearTimeout(timer) };
}

export interface Range {
	/** Positions on the branch; the last is not included. */
	readonly from: number;
	readonly until: number;
	/** The first entry that no summary of before has told a model of. */
	readonly fresh: number;
	/** UTF-16 units of what it replaces in view. */
	readonly units: number;
}

export interface Written {
	readonly summary: string;
	readonly details: SummaryDetails;
	readonly usage: Usage | undefined;
}

/** A compaction as Pi takes it. */
export interface Compaction {
	summary: string;
	firstKeptEntryId: string;
	tokensBefore: number;
	usage?: Usage;
	details: SummaryDetails;
}

/** What a summary is written from, and the first entry that stays. */
export interface Prepared {
	readonly request: Request;
	readonly keptId: string;
}

export interface Request {
	readonly range: Range;
	/** The core's part. */
	readonly fixed: string;
	readonly told: FixedPart;
	readonly room: Room;
	/** The earlier summaries of what it stands for. */
	readonly roots: readonly Summary[];
	/** Entries of the branch up to the end of the range and one more. */
	readonly entries: readonly SessionEntry[];
	readonly instructions: string | undefined;
	readonly recallable: boolean;
	/** Whether secrets are taken out of originals that are sent. */
	readonly redacts: boolean;
	/** Why no model may be asked; undefined where one may. */
	readonly silent: Outcome | undefined;
	/** The models that are asked where the last request is not sent again, one after the other. */
	readonly chain: ModelChain;
	/** Sends the last request again with an instruction behind it; undefined where its cache is not to be had. */
	readonly extend: ((instruction: string, signal: AbortSignal) => Promise<AssistantMessage | undefined>) | undefined;
	/** Where the last request cannot be sent again, no model is asked at all. */
	readonly onlyExtend?: boolean;
	/** Milliseconds after which the models are given up. */
	readonly within?: number;
}

export type FromCore = Pick<Request, "fixed" | "told" | "entries" | "room" | "roots">;

/** Asks the core, which must be fed. `target` is what a return aims at, in tokens. */
export function askCore(core: Asked, feed: Feed, range: Range): FromCore {
	const branch = Array.from({ length: feed.length }, (_, index) => feed.entry(index));
	const entries = branch.slice(0, range.until + 1);
	const own = entries.flatMap((entry, index) => (detailsOf(entry) && entry.type === "compaction" ? [index] : []));
	const room = roomFor(branch, core.target, range.units);
	const told = core.summary(feed, range, Uint32Array.from(own), room.fixed);
	const fixed = assemble(told, (index) => feed.entry(index));
	return { told, fixed, entries, room, roots: rootsIn(branch.slice(range.from), handleOf) };
}

/** Writes the summary. The clock counts from the call on. */
export async function write(request: Request, ctx: ExtensionContext, signal: AbortSignal): Promise<Written> {
	const started = Date.now();
	const { range, fixed, told, recallable, room, roots, onlyExtend } = request;
	const entries = request.entries.slice(0, range.until);
	const [first, last] = [entries[range.from]?.id ?? "", entries.at(-1)?.id ?? ""];
	const id = idOf(roots[0]?.first ?? entries[range.fresh]?.id ?? "", last, handleOf);
	const head = `[pi-zip: this stands for ${told.requests} requests, entries ${first} to ${last}${
		recallable
			? `, summary ${id}. ${told.outputs} outputs come back by zip_recall, each by its handle of ten characters, and what a summary stands for by its id`
			: ""
	}.]\n`;
	const opening = "\n## What was done\n";
	const beside = head.length + opening.length + fixed.length;
	const telling = { roots, entries, fresh: range.fresh, room, beside, derive: handleOf, except: RECALL_TOOL };
	const bound = bounded(signal, request.within ?? MOST_TIME);
	const most = roomForNarrative(room, beside);
	const { narrative: given, isCached } = await narrated(request, most, ctx, bound.signal).finally(bound.clear);
	const start = head.length + opening.length;
	const around = (tale: Tale) => `${head}${opening}${tale.text}\n${fixed}`.trimEnd();
	let narrative = given;
	let tale = tell({ ...telling, narrative: narrative.text ?? "" });
	if (narrative.text !== undefined && around(tale).length >= range.units) {
		// It may be so much shorter without the narrative that it makes room.
		const { text: _, ...rest } = narrative;
		narrative = { ...rest, outcome: "not smaller", failed: narrative.failed + 1 };
		tale = tell({ ...telling, narrative: "" });
	}
	const summary = around(tale);
	const moved = ([from, to]: readonly [number, number], by: number) => [from + by, to + by] as const;
	const written = moved(tale.narrative, start);
	const { terse } = tale.levels;
	const usage = total(narrative.usage);
	return {
		summary,
		usage,
		details: {
			version: 1,
			by: "pi-zip",
			first,
			last,
			requests: told.requests,
			outputs: told.outputs,
			path: narrative.text === undefined ? "fixed part only" : isCached ? "cached" : "uncached",
			reason: narrative.outcome,
			...(narrative.failed > 0 ? { failed: narrative.failed } : {}),
			seconds: Math.round((Date.now() - started) / 100) / 10,
			read: usage?.cacheRead ?? 0,
			written: (usage?.input ?? 0) + (usage?.cacheWrite ?? 0),
			put: usage?.output ?? 0,
			price: usage?.cost.total ?? 0,
			...(onlyExtend ? { ahead: true as const } : {}),
			...(narrative.text === undefined ? {} : { narrative: written }),
			levels: { ...tale.levels, ...(terse ? { terse: moved(terse, written[0]) } : {}) },
		},
	};
}

export function compactionOfOurs(written: Written, firstKeptEntryId: string, tokensBefore: number): Compaction {
	const { summary, details } = written;
	return { summary, firstKeptEntryId, tokensBefore, details, ...paid(written) };
}

export function paid({ usage }: Written): { usage?: Usage } {
	return usage ? { usage } : {};
}

/** UTF-16 units that a request of its own reads. */
export function originalUnits(request: Request): number {
	return summedUp(request).reduce((sum, entry) => sum + transcript(entry, false).length, 0);
}

function summedUp({ range, entries }: Request): readonly SessionEntry[] {
	return entries.slice(range.fresh, range.until);
}

async function originalsOf(request: Request): Promise<string[]> {
	const { redacts } = request;
	const slices = new Slices();
	const pieces: string[] = [];
	for (const entry of summedUp(request)) {
		const piece = transcript(entry, redacts);
		if (piece !== "") pieces.push(piece);
		if (slices.isOver) await slices.pause();
	}
	return pieces;
}

async function narrated(
	request: Request,
	most: number,
	ctx: ExtensionContext,
	signal: AbortSignal,
): Promise<{ narrative: Narrative; isCached: boolean }> {
	const { range, entries, roots, instructions, redacts, silent, chain, extend, onlyExtend } = request;
	if (silent) return { narrative: { outcome: silent, usage: [], failed: 0 }, isCached: false };
	const older = olderNarrative(roots);
	const wanted = { boundary: quotedText(entries[range.until]), older, instructions, units: range.units, most };
	if (extend) {
		// What came before is in view there.
		const narrative = await narrate((instruction) => extend(instruction, signal), { ...wanted, older: "" });
		if (narrative) return { narrative, isCached: true };
	}
	if (onlyExtend)
		return { narrative: { outcome: "the request could not be repeated", usage: [], failed: 0 }, isCached: false };
	const pieces = await originalsOf(request);
	const clean = (text: string) => (redacts ? redact(text) : text);
	// What stands in a cache was never cleaned.
	const alone = { ...wanted, boundary: clean(wanted.boundary), older: clean(older) };
	const usage: Usage[] = [];
	let failed = 0;
	let narrative: Narrative = { outcome: "no model", usage, failed };
	for (const model of chain.models(ctx)) {
		narrative = await uncached(ctx, model, pieces, alone, signal);
		usage.push(...narrative.usage);
		failed += narrative.failed;
		if (narrative.text !== undefined || signal.aborted) break;
		chain.fail(model);
	}
	return { narrative: { ...narrative, usage, failed }, isCached: false };
}

/** Of those that are whole: a provider may report anything. */
export function total(all: readonly Usage[]): Usage | undefined {
	const [first, ...rest] = all.filter(isWhole);
	return first && rest.reduce(sum, first);
}

function isWhole({ input, output, cacheRead, cacheWrite, totalTokens, cost }: Usage): boolean {
	const { input: _i, output: _o, cacheRead: _r, cacheWrite: _w, total } = cost ?? {};
	return [input, output, cacheRead, cacheWrite, totalTokens, _i, _o, _r, _w, total].every(Number.isFinite);
}

function sum(one: Usage, other: Usage): Usage {
	return {
		input: one.input + other.input,
		output: one.output + other.output,
		cacheRead: one.cacheRead + other.cacheRead,
		cacheWrite: one.cacheWrite + other.cacheWrite,
		totalTokens: one.totalTokens + other.totalTokens,
		cost: {
			input: one.cost.input + other.cost.input,
			output: one.cost.output + other.cost.output,
			cacheRead: one.cost.cacheRead + other.cost.cacheRead,
			cacheWrite: one.cost.cacheWrite + other.cost.cacheWrite,
			total: one.cost.total + other.cost.total,
		},
	};
}
