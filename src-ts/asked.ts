/**
 * The questions that a core is asked once it is fed, and its answers in the terms of this side.
 */

import type * as module from "../build/core/core.js";
import { editsOf, type Figures, type FixedPart, figuresOf, fixedPart, type PlannedEdit } from "./answers.ts";
import type { Fed, Feed } from "./feed.ts";

export type { WireCache, WireSituation, WireSizes, WireStatus } from "../build/core/core.js";

/** What is decided for a request. */
export interface Plan extends module.WirePlan {
	readonly figures: Figures;
	readonly edits: readonly PlannedEdit[];
}

/** What a return shows of the cache. */
export interface Evidence {
	/** The retention that the cache was seen at. */
	readonly tier: "short" | "long";
	/** As `learner.observe` takes it. */
	readonly observation: Float64Array;
}

/** Gaps of about one length. */
export interface GapBin {
	/** The shortest, in milliseconds. */
	readonly from: number;
	/** The chance that the cache lives through it. */
	readonly chance: number;
	/** Returns that were seen after such gaps. */
	readonly seen: number;
}

/** What `/zip` shows. */
export interface Status extends module.WireStatus {
	readonly figures: Figures | undefined;
}

/** What the core is asked once it is fed. */
export class Asked {
	readonly #core: module.Core;
	readonly #fed: Fed;
	readonly #edges: () => Float64Array;
	/** What a cold return aims at, in real tokens. */
	target = 0;

	constructor(core: module.Core, fed: Fed, edges: () => Float64Array) {
		this.#core = core;
		this.#fed = fed;
		this.#edges = edges;
	}

	/** Files to look at before a plan, the most valuable first. */
	checks(situation: module.WireSituation): module.WireFileCheck[] {
		return this.#core.checks(situation);
	}

	/** `unchanged` are the positions of those checks whose file still reads the same. */
	plan(situation: module.WireSituation, unchanged: Uint32Array): Plan {
		const plan = this.#core.plan(situation, unchanged);
		const edits = editsOf(this.#core.editNumbers(), this.#core.editTexts());
		return { ...plan, figures: figuresOf(this.#core.figures()), edits };
	}

	/** What an answer shows of the cache; undefined where that is nothing. `edited` is a position on the branch. */
	evidence(
		situation: module.WireSituation,
		{ at, touched }: { at: number; touched: number | undefined },
		edited: number | undefined,
	): Evidence | undefined {
		const observation = this.#core.evidence(situation, at, touched, edited);
		return observation.length > 0 ? { tier: observation[0] ? "long" : "short", observation } : undefined;
	}

	/** Whether refreshing the idle cache pays; costs in dollars, as Pi reckons them with the whole context. */
	refreshPays(
		situation: module.WireSituation,
		absence: { away: number; returns: readonly number[] },
		costs: { warmCost: number; missCost: number },
	): boolean {
		const returns = Float64Array.from(absence.returns);
		return this.#core.refreshPays(situation, absence.away, returns, costs.warmCost, costs.missCost);
	}

	/** What is believed of the cache's life, by bin of gaps. */
	survival(situation: module.WireSituation): GapBin[] {
		const numbers = this.#core.survival(situation);
		return Array.from(this.#edges(), (from, bin) => ({
			from,
			chance: numbers[2 * bin] ?? 0,
			seen: numbers[2 * bin + 1] ?? 0,
		}));
	}

	/** Makes the next summary's outputs ready: see `Feed.complete`. */
	complete(feed: Feed, until: number): boolean {
		return feed.complete(this.#fed, until);
	}

	/** The fixed part of a summary: see `Core.summary` of the module. */
	summary(feed: Feed, { from, until }: { from: number; until: number }, own: Uint32Array, most: number): FixedPart {
		feed.complete(this.#fed);
		return fixedPart(this.#core.summary(from, until, own, most));
	}

	/** The first entry that a compaction may keep, at `wanted` or before it but behind `after`. */
	cut(after: number, wanted: number): number | undefined {
		return this.#core.cut(after, wanted);
	}

	/** Real tokens that the next request reads of the cache where the entry at `changed` is the first it shows otherwise. */
	readUpTo(situation: module.WireSituation, changed: number): number {
		return this.#core.readUpTo(situation, changed);
	}

	/** What `/zip` shows, with the figures of the newest decision of this process. */
	status(situation: module.WireSituation): Status {
		const figures = this.#core.figures();
		return { ...this.#core.status(situation), figures: figures.length > 0 ? figuresOf(figures) : undefined };
	}
}
