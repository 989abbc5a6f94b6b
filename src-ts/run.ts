/**
 * A session's runs: decides once at the first request of each, and keeps what was decided in view until it is persisted.
 *
 * Knows the order in which things happen. What is folded is the core's decision, how it stands in the view is
 * `carry.ts`, whether another extension interferes is `coexistence.ts`.
 */

import { Carried } from "./carry.ts";
import { Coexistence, knownManager } from "./coexistence.ts";
import { Engine, type WirePlan } from "./core.ts";
import { outputText, STEERING_ENTRY } from "./feed.ts";
import { CHECKS_A_PLAN, type Disk, type FileCheck } from "./files.ts";
import type {
	BoundaryResult,
	ContextEventResult,
	ContextWithSystemEvent,
	ExtensionAPI,
	ExtensionContext,
	Message,
	SessionBoundaryDraft,
	SessionEntry,
} from "./host.ts";
import { coldReason, type Notices } from "./notices.ts";
import type { Settings } from "./settings.ts";
import { situationOf } from "./situation.ts";
import { align, keyOf, occurrencesIn, type Placed } from "./view.ts";

export interface Parts {
	readonly pi: ExtensionAPI;
	readonly settings: Settings;
	readonly disk: Disk;
	readonly notices: Notices;
}

export class Runs {
	readonly #parts: Parts;
	readonly #engine: Engine;
	readonly #carried = new Carried();
	readonly #coexistence = new Coexistence();
	/** No request of the present run has gone out yet. */
	#atStart = true;
	/** The leaf before the run's prompt; undefined until a run has started in this process. */
	#base: string | null | undefined;
	/** User messages of the present run: its prompt first, then what was typed meanwhile. */
	#typed: string[] = [];
	/** Those of them that are still to be written down. */
	readonly #steering: string[] = [];
	/** When this process last touched the cache, in milliseconds since the epoch. */
	#touched: number | undefined;
	#saidTier = false;

	constructor(parts: Parts) {
		this.#parts = parts;
		this.#engine = new Engine(parts.settings, (fresh) => {
			this.#carried.observe(fresh);
			this.#noteTyped(fresh);
		});
	}

	get engine(): Engine {
		return this.#engine;
	}

	/** Why folding is paused; undefined where it is not. */
	get paused(): string | undefined {
		return this.#coexistence.reason;
	}

	get touched(): number | undefined {
		return this.#touched;
	}

	/** Whether a plan went out that Pi has not persisted. */
	get unpersisted(): boolean {
		return this.#carried.unpersisted;
	}

	/** A prompt was given; it is not in the session yet. */
	start(ctx: ExtensionContext): void {
		this.#base = ctx.sessionManager.getLeafId();
		this.#typed = [];
		this.#atStart = true;
	}

	/** The run has come to rest. */
	settle(): void {
		this.#atStart = true;
	}

	/** A request went out untouched because something of ours failed. */
	fail(): void {
		this.#carried.dropUnsent();
	}

	/** The branch changed: what was decided for the old one no longer holds. */
	leaveBranch(): void {
		this.#carried.drop();
	}

	/** The provider has answered a request. One that never reached it touches no cache. */
	touch(): void {
		this.#touched = Date.now();
	}

	/** One request's view. Undefined leaves it as it is. */
	request(
		event: ContextWithSystemEvent,
		ctx: ExtensionContext,
		enabled: boolean,
	): ContextEventResult | undefined | Promise<ContextEventResult | undefined> {
		const first = this.#atStart;
		this.#atStart = false;
		if (!enabled && !this.#carried.active) return undefined;
		this.#keepSteering(ctx);
		if (enabled && first && !this.#carried.active) return this.#decide(event, ctx);
		if (this.paused !== undefined) this.#coexistence.see(changeIn(event, ctx));
		return this.#view(event);
	}

	#view(event: ContextWithSystemEvent): ContextEventResult | undefined {
		const messages = this.#carried.apply(event.messages);
		return messages && { messages };
	}

	/** Looks whether Pi took what the last boundary was to persist. */
	observe(ctx: ExtensionContext): void {
		if (this.#carried.active) this.#sync(ctx);
	}

	/** What a boundary has to persist; undefined where there is nothing. */
	persist(others: readonly SessionBoundaryDraft[], ctx: ExtensionContext): BoundaryResult | undefined {
		return this.#engine.with(ctx.sessionManager, (_core, feed) => {
			const entries = this.#carried.drafts(others, (id) => feed.position(id) !== undefined);
			return entries && { entries };
		});
	}

	/**
	 * Messages typed during a run belong to the turn they came in. Only this process knows which they are, so they are
	 * written down: of the user messages since the run began, all but the first.
	 */
	#keepSteering(ctx: ExtensionContext): void {
		this.#sync(ctx);
		if (this.#steering.length === 0) return;
		this.#parts.pi.appendEntry(STEERING_ENTRY, { targets: this.#steering.splice(0) });
	}

	#sync(ctx: ExtensionContext): void {
		this.#engine.with(ctx.sessionManager, () => {});
	}

	#noteTyped(fresh: readonly SessionEntry[]): void {
		if (this.#base === undefined) return;
		const start = fresh.findIndex(({ id }) => id === this.#base);
		for (const entry of fresh.slice(start + 1)) {
			if (entry.type !== "message" || entry.message.role !== "user" || this.#typed.includes(entry.id)) continue;
			if (this.#typed.length > 0) this.#steering.push(entry.id);
			this.#typed.push(entry.id);
		}
	}

	/** Decides what the run folds. Files are looked at only where something would be folded. */
	#decide(
		event: ContextWithSystemEvent,
		ctx: ExtensionContext,
	): ContextEventResult | undefined | Promise<ContextEventResult | undefined> {
		const { notices, pi, settings } = this.#parts;
		const engine = this.#engine;
		const session = ctx.sessionManager;
		const projection = session.buildSessionProjection();
		const alignment = align(projection, event.messages);
		const change = "change" in alignment ? alignment.change : undefined;
		const verdict = this.#coexistence.judge(knownManager(pi), change);
		if (verdict.notice) notices.say(verdict.notice, ctx, "warning");
		if (!verdict.fold || "change" in alignment) return undefined;
		const situation = situationOf(pi, ctx, settings, this.#touched);
		const checks = engine.with(session, (core, feed) =>
			core.checks(situation).map(({ entry, ...check }) => ({ index: entry, id: feed.id(entry), check })),
		);
		const adopt = (unchanged: readonly number[]) => {
			const { plan, ids } = engine.with(session, (core, feed) => {
				const plan = core.plan(situation, Uint32Array.from(unchanged));
				return { plan, ids: plan.edits.map(({ entry }) => feed.id(entry)) };
			});
			if (plan.messages !== projection.messages.length) throw new Error("the core's projection is not Pi's");
			this.#report(plan, ctx);
			this.#carried.adopt(placeEdits(plan, ids, session, alignment.positions, event.messages));
			return this.#view(event);
		};
		return checks.length === 0 ? adopt([]) : this.#unchanged(checks, ctx).then(adopt);
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

	#report(plan: WirePlan, ctx: ExtensionContext): void {
		const { disk, notices, settings } = this.#parts;
		const { edits, before, after, cache, ...rest } = plan;
		if (settings.ledger) {
			const folds = edits.map(({ handle, tokens }) => ({ handle, tokens }));
			const session = ctx.sessionManager.getSessionId();
			disk.appendLine(
				settings.ledger,
				JSON.stringify({ at: Date.now(), session, cache, before, after, ...rest, folds }),
			);
		}
		if (cache.source === "observed" && cache.retention !== settings.retention && !this.#saidTier) {
			this.#saidTier = true;
			const lives = cache.retention === "long" ? "an hour" : "the short time";
			notices.say(`pi-zip · this provider keeps its prompt cache for ${lives}, whatever is asked for`, ctx);
		}
		if (edits.length === 0) return;
		const folds = edits.map(({ handle, subject, tokens }) => ({ handle, subject, tokens }));
		notices.folded({ version: 1, before, after, reason: coldReason(cache), folds }, ctx);
	}
}

function changeIn(event: ContextWithSystemEvent, ctx: ExtensionContext) {
	const alignment = align(ctx.sessionManager.buildSessionProjection(), event.messages);
	return "change" in alignment ? alignment.change : undefined;
}

/** Ties each edit to the message of the view that it replaces. Throws where the two do not belong together. */
function placeEdits(
	plan: WirePlan,
	ids: readonly string[],
	session: ExtensionContext["sessionManager"],
	positions: Int32Array,
	view: readonly Message[],
): Placed[] {
	const occurrences = occurrencesIn(view);
	return plan.edits.map(({ position, placeholder }, edit) => {
		const entryId = ids[edit] ?? "";
		const index = positions[position] ?? -1;
		const message = view[index];
		const original = outputText(session.getEntry(entryId));
		if (message?.role !== "toolResult" || original === undefined) throw new Error(`entry ${entryId} is not in view`);
		return {
			entryId,
			placeholder,
			units: original.length,
			key: keyOf(message),
			occurrence: occurrences[index] ?? 0,
			index,
		};
	});
}
