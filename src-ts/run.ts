/**
 * A session's runs: decides at the first request of each, asks again at later ones when it may be worth it, and keeps what
 * was decided in view until it is persisted.
 *
 * Knows the order in which things happen. What is folded is the core's decision, how it stands in the view is
 * `carry.ts`, whether another extension interferes is `coexistence.ts`.
 */

import type { Plan, WireSituation } from "./asked.ts";
import { Carried } from "./carry.ts";
import { Coexistence, knownManager } from "./coexistence.ts";
import { outputText } from "./content.ts";
import type { FileCheck } from "./files/unchanged.ts";
import { CHECKS_A_PLAN, type Disk } from "./files.ts";
import { isFoldAsked } from "./folds/standing.ts";
import {
	type BoundaryResult,
	type CacheWarmingDecisionEvent,
	type CacheWarmingDecisionEventResult,
	type ContextEventResult,
	type ContextWithSystemEvent,
	compactionOf,
	type ExtensionAPI,
	type ExtensionContext,
	type Message,
	physicalModel,
	type SessionBoundaryDraft,
} from "./host.ts";
import type { Notices } from "./notices.ts";
import { type IdentifiedPlan, identified, placeEdits } from "./plan.ts";
import type { Project } from "./projection.ts";
import { Reports } from "./report.ts";
import type { SessionCore } from "./session-core.ts";
import type { Settings } from "./settings.ts";
import { STEERING_ENTRY, Steering } from "./steering.ts";
import { align, type ForeignChange, type Placed } from "./view.ts";

export interface Parts {
	readonly pi: ExtensionAPI;
	readonly settings: Settings;
	readonly disk: Disk;
	readonly notices: Notices;
	readonly core: SessionCore;
	readonly project: Project;
}

type Result = ContextEventResult | undefined;

const IN_PLACE = "the context was full, and folding made room in place of a compaction";

/**
 * Folding takes a compaction's place only where it leaves at most this part of what there was, or of what is compacted
 * at: else the context is soon full again, and was written anew for little.
 */
const MOST_LEFT = 0.75;

function isRoom(before: number, after: number, trigger: number | undefined): boolean {
	return after < before && after <= MOST_LEFT * Math.min(before, trigger ?? before);
}

/** The cache was there and is not any more. */
function isLost({ state, because }: Plan["cache"]): boolean {
	return state === "cold" && because !== "noCache";
}

export class Runs {
	readonly #parts: Parts;
	readonly #carried = new Carried();
	readonly #coexistence = new Coexistence();
	readonly #steering = new Steering();
	readonly #reports: Reports;
	/** No request of the present run has gone out yet. */
	#atStart = true;
	/** Requests of the run that go out before it is worth looking again. */
	#wait = 0;
	/** What was decided at the first request of the present run. */
	#atFirst: IdentifiedPlan | undefined;
	/** The next run folds whatever the cache, since it would be compacted otherwise. */
	#inPlace = false;

	constructor(parts: Parts) {
		this.#parts = parts;
		this.#reports = new Reports(parts);
	}

	/** Why nothing is folded though pi-zip is on; undefined where it folds. */
	get paused(): string | undefined {
		return this.#parts.core.isSwitchedOff ? "switched off after repeated failures" : this.#coexistence.reason;
	}

	/** Whether a plan went out that Pi has not persisted. */
	get unpersisted(): boolean {
		return this.#carried.unpersisted;
	}

	/** Whether a plan folds an entry that Pi may not have persisted yet. */
	carries(entryId: string): boolean {
		return this.#carried.carries(entryId);
	}

	/** A prompt was given; it is not in the session yet. */
	start(ctx: ExtensionContext): void {
		this.#steering.start(ctx.sessionManager);
		this.#atStart = true;
		this.#parts.core.prompted();
		this.#reports.start();
	}

	/** The run has come to rest. */
	settle(): void {
		this.#steering.stop();
		this.#atStart = true;
		this.#inPlace = false;
	}

	/** The branch changed: what was decided for the old one no longer holds. */
	leaveBranch(): void {
		this.#steering.stop();
		this.#carried.drop();
		this.#inPlace = false;
	}

	/** Something of ours failed, and the request in hand goes out untouched. */
	fail(): void {
		this.#parts.core.countFailure();
		this.#carried.dropUnsent();
	}

	/** What was decided for the request in hand, where it is the first of its run. */
	get plan(): Plan | undefined {
		return this.#atFirst;
	}

	/** Answers Pi, which is about to refresh the idle cache: not where letting it die is cheaper. */
	warming(event: CacheWarmingDecisionEvent, ctx: ExtensionContext): CacheWarmingDecisionEventResult | undefined {
		// A run that goes on is sure to send its next request.
		const isIdle = event.continuationProbability < 1;
		if (!isIdle || event.action === "stop" || this.paused !== undefined) return undefined;
		const pays = this.#parts.core.refreshPays(event, ctx);
		return pays === false ? { action: "stop" } : undefined;
	}

	/** Writes down which messages were typed during the run. */
	keepSteering(ctx: ExtensionContext): void {
		const targets = this.#steering.take(ctx.sessionManager);
		if (targets.length > 0) this.#parts.pi.appendEntry(STEERING_ENTRY, { targets });
	}

	/** One request's view. Undefined leaves it as it is. */
	request(event: ContextWithSystemEvent, ctx: ExtensionContext, enabled: boolean): Result | Promise<Result> {
		const first = this.#atStart;
		this.#atStart = false;
		this.#atFirst = undefined;
		this.look(ctx);
		if (first && !this.#carried.unpersisted) this.#carried.drop();
		if (this.#carried.active) return this.#view(event);
		const { core } = this.#parts;
		if (!enabled || this.paused !== undefined) core.dropStretch();
		if (!enabled || core.isSwitchedOff) return undefined;
		if (first) return this.#decide(event, ctx);
		if (this.#coexistence.reason !== undefined) {
			this.#coexistence.see(this.#changeIn(event, ctx));
			return undefined;
		}
		return this.#reconsider(event, ctx);
	}

	/** Pi's own view with what requests carry and is not persisted yet. */
	preview(view: readonly Message[]): readonly Message[] {
		return this.#carried.preview(view);
	}

	/** Looks whether Pi took what the last boundary was to persist, and what the answers since have shown. */
	look(ctx: ExtensionContext): void {
		this.#carried.look(ctx.sessionManager);
		this.#parts.core.learn(ctx);
	}

	/** What a boundary has to persist; undefined where there is nothing. */
	persist(others: readonly SessionBoundaryDraft[], ctx: ExtensionContext): BoundaryResult | undefined {
		const entries = this.#carried.drafts(others, ctx.sessionManager);
		return entries && { entries };
	}

	/** Whether what becomes of the view is not ours to decide: too much has failed, or another context manager is loaded. */
	get isForeign(): boolean {
		return this.#parts.core.isSwitchedOff || knownManager(this.#parts.pi) !== undefined;
	}

	/** Whether the next run's first request folds in place of the compaction that is about to be made. */
	foldAtStart(ctx: ExtensionContext): boolean {
		if (!this.#atStart || this.paused !== undefined || this.#carried.active) return false;
		const { context, foldable } = this.#parts.core.status(ctx);
		this.#inPlace = isRoom(context, context - foldable.tokens, this.#trigger(ctx));
		return this.#inPlace;
	}

	/** Whether folding now would make room. */
	canFold(ctx: ExtensionContext): boolean {
		return !this.#atStart && this.#planInPlace(ctx) !== undefined;
	}

	/** Folds at a boundary what can be, in place of a compaction: it writes the context anew in any case. */
	fold(ctx: ExtensionContext): void {
		const found = this.#planInPlace(ctx);
		if (!found) return;
		this.#carried.adopt(found.placed, ctx.sessionManager);
		this.#parts.core.changedFrom(found.placed[0]?.entryId);
		this.#reports.keep(found.plan, ctx);
		this.#reports.tell(found.plan, ctx, IN_PLACE);
	}

	#planInPlace(ctx: ExtensionContext): { plan: IdentifiedPlan; placed: Placed[] } | undefined {
		if (this.paused !== undefined || this.#carried.active) return undefined;
		const session = ctx.sessionManager;
		const view = this.#parts.project(session).messages;
		const situation = this.#situation(ctx, true);
		return this.#parts.core.ask(ctx, (core, feed) => {
			const plan = identified(core.plan(situation, new Uint32Array()), situation, feed);
			if (!isRoom(plan.before, plan.after, this.#trigger(ctx))) return undefined;
			if (plan.messages !== view.length) throw new Error("the core's projection is not Pi's");
			const { structureFrom } = this.#parts.settings;
			return { plan, placed: placeEdits(plan, session, Int32Array.from(view.keys()), view, structureFrom) };
		});
	}

	/** `inPlace`: as if nothing were cached, since what comes instead leaves nothing of the cache. */
	#situation(ctx: ExtensionContext, inPlace = false): WireSituation {
		const situation = this.#parts.core.situation(ctx);
		return inPlace ? { ...situation, lifetime: 0 } : situation;
	}

	#trigger(ctx: ExtensionContext): number | undefined {
		return compactionOf(this.#parts.pi.getSettings(), physicalModel(ctx)).trigger;
	}

	#view(event: ContextWithSystemEvent): Result {
		const messages = this.#carried.apply(event.messages);
		return messages && { messages };
	}

	/** Decides at a run's first request. Files are looked at only where something would be folded. */
	#decide(event: ContextWithSystemEvent, ctx: ExtensionContext): Result | Promise<Result> {
		const { core, notices, pi } = this.#parts;
		const session = ctx.sessionManager;
		const inPlace = this.#inPlace;
		this.#inPlace = false;
		const projection = this.#parts.project(session);
		const alignment = align(projection, event.messages);
		const change = "change" in alignment ? alignment.change : undefined;
		const verdict = this.#coexistence.judge(knownManager(pi), change);
		if (verdict.notice) notices.say(verdict.notice, ctx, "warning");
		if (!verdict.fold || "change" in alignment) return undefined;
		const situation = this.#situation(ctx, inPlace);
		const checks = core.ask(ctx, (asked, feed) =>
			asked.checks(situation).map(({ entry, ...check }) => ({ index: entry, id: feed.id(entry), check })),
		);
		const adopt = (unchanged: readonly number[]): Result => {
			const plan = this.#plan(situation, unchanged, ctx);
			this.#atFirst = plan;
			if (plan.messages !== projection.messages.length) throw new Error("the core's projection is not Pi's");
			if (!inPlace && !isFoldAsked(session) && isLost(plan.cache)) core.endStretch();
			return this.#adopt(plan, alignment.positions, event, ctx, inPlace ? IN_PLACE : undefined);
		};
		return checks.length === 0 ? adopt([]) : this.#unchanged(checks, ctx).then(adopt);
	}

	/** Asks within a run. Pi's projection is built only for an edit. */
	#reconsider(event: ContextWithSystemEvent, ctx: ExtensionContext): Result {
		this.#wait -= 1;
		if (this.#wait > 0) return undefined;
		const plan = this.#plan(this.#situation(ctx), [], ctx);
		if (plan.edits.length === 0) return undefined;
		const projection = this.#parts.project(ctx.sessionManager);
		const alignment = align(projection, event.messages);
		if ("change" in alignment) {
			this.#coexistence.see(alignment.change);
			return undefined;
		}
		if (plan.messages !== projection.messages.length) throw new Error("the core's projection is not Pi's");
		return this.#adopt(plan, alignment.positions, event, ctx);
	}

	#changeIn(event: ContextWithSystemEvent, ctx: ExtensionContext): ForeignChange | undefined {
		const alignment = align(this.#parts.project(ctx.sessionManager), event.messages);
		return "change" in alignment ? alignment.change : undefined;
	}

	#plan(situation: WireSituation, unchanged: readonly number[], ctx: ExtensionContext): IdentifiedPlan {
		const plan = this.#parts.core.ask(ctx, (core, feed) =>
			identified(core.plan(situation, Uint32Array.from(unchanged)), situation, feed),
		);
		this.#wait = plan.figures.again;
		this.#reports.keep(plan, ctx);
		return plan;
	}

	#adopt(
		plan: IdentifiedPlan,
		positions: Int32Array,
		event: ContextWithSystemEvent,
		ctx: ExtensionContext,
		because?: string,
	): Result {
		const { structureFrom } = this.#parts.settings;
		const placed = placeEdits(plan, ctx.sessionManager, positions, event.messages, structureFrom);
		this.#carried.adopt(placed, ctx.sessionManager);
		this.#parts.core.changedFrom(placed[0]?.entryId);
		this.#reports.tell(plan, ctx, because);
		return this.#view(event);
	}

	/** Positions of those checks whose file still reads as the tool returned it. */
	async #unchanged(
		checks: readonly { index: number; id: string; check: FileCheck }[],
		ctx: ExtensionContext,
	): Promise<number[]> {
		const seen = checks.slice(0, CHECKS_A_PLAN.files).map(({ id, check }) => {
			const entry = ctx.sessionManager.getEntry(id);
			const seenAt = entry?.type === "message" ? entry.message.timestamp : 0;
			return { check, original: outputText(entry) ?? "", seenAt };
		});
		const answers = await this.#parts.disk.filesUnchanged(seen, ctx.cwd);
		return checks.filter((_, index) => answers[index]).map(({ index }) => index);
	}
}
