/**
 * The Rust core: loads the module, keeps one core fed for a session, and replaces it when it failed.
 *
 * The only file that knows the module. A trap or a throw leaves a core that cannot be trusted: it is dropped, the
 * request in hand goes out untouched, and the next use starts a fresh module and feeds it the branch again.
 */

import { fileURLToPath } from "node:url";
import * as module from "../build/core/core.js";
import { editsOf, type Figures, type FixedPart, figuresOf, fixedPart, type PlannedEdit } from "./answers.ts";
import { type Fed, Feed, utf8 } from "./feed.ts";
import { readBytes } from "./files.ts";
import type { ReadonlySession } from "./host.ts";
import type { Settings } from "./settings.ts";
import { pack } from "./wire.ts";

export type {
	WireCache,
	WireSituation,
	WireSizes,
	WireStatus,
} from "../build/core/core.js";

/** Failures in one session after which the core is not started again. */
const MOST_FAILURES = 3;

/** In the sources the module stands in the build folder, in the package beside the bundle. */
const MODULE = new URL(
	import.meta.url.endsWith("/core.ts") ? "../build/core/core_bg.wasm" : "core_bg.wasm",
	import.meta.url,
);

let isLoaded = false;
/** Whether the module's instance can be used: not before the first use, and not after a failure. */
let isAlive = false;
/**
 * Counts the module's instances. There is one for all sessions of the process, and a fresh one leaves the cores of the
 * one before it dead.
 */
let generation = 0;

function ensureAlive(): void {
	if (isAlive) return;
	if (isLoaded) module.__wbg_reset_state();
	else {
		const bytes = readBytes(fileURLToPath(MODULE));
		// Whatever happens from here on, `initSync` would return the same instance again.
		isLoaded = true;
		module.initSync({ module: bytes });
	}
	generation += 1;
	isAlive = true;
}

/** Calls a free function of the module. After a throw the next call finds a fresh instance. */
function call<T>(use: () => T): T {
	ensureAlive();
	try {
		return use();
	} catch (error) {
		isAlive = false;
		throw error;
	}
}

export const recallPage = (text: string, request: module.RecallRequest) => call(() => module.recallPage(text, request));
export const findOrphans = (outline: Uint32Array) => call(() => module.findOrphans(outline));
export const handleOf = (entryId: string) => call(() => module.handleOf(entryId));

/** A pattern for many texts: see `Pattern` of the module. It is lost where the module fails meanwhile; then it throws. */
export class Pattern {
	readonly #object: module.Pattern;
	readonly #generation: number;

	constructor(pattern: string, caseSensitive: boolean) {
		this.#object = call(() => new module.Pattern(pattern, caseSensitive));
		this.#generation = generation;
	}

	get isPlain(): boolean {
		return this.#use((object) => object.isPlain());
	}

	get literal(): string {
		return this.#use((object) => object.literal());
	}

	lines(text: string): Uint32Array {
		return this.#use((object) => object.lines(utf8(text)));
	}

	free(): void {
		if (isAlive && this.#generation === generation) call(() => this.#object.free());
	}

	#use<T>(use: (object: module.Pattern) => T): T {
		if (!isAlive || this.#generation !== generation) throw new Error("the search was cut short: ask again");
		return call(() => use(this.#object));
	}
}

/** What is learned of caches: see `survival.ts`. */
export const learner = {
	edges: () => call(() => module.survivalEdges()),
	observe: (counts: number[], observation: ArrayLike<number>) =>
		call(() => module.observe(counts, Float64Array.from(observation))),
};

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
	/** What a cold return aims at, in real tokens. */
	target = 0;

	constructor(core: module.Core, fed: Fed) {
		this.#core = core;
		this.#fed = fed;
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
		const edges = call(() => module.survivalEdges());
		return Array.from(edges, (from, bin) => ({ from, chance: numbers[2 * bin] ?? 0, seen: numbers[2 * bin + 1] ?? 0 }));
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

interface Live {
	readonly object: module.Core;
	readonly asked: Asked;
	readonly fed: Fed;
	readonly generation: number;
}

/** Entries that cross at once: a bound on what the module's memory holds of them twice. */
const ENTRIES_AT_ONCE = 1_000;

function fedTo(core: module.Core): Fed {
	return {
		sync(keep, entries) {
			let from = 0;
			do {
				const { numbers, texts } = pack(entries.slice(from, from + ENTRIES_AT_ONCE));
				core.sync(keep + from, numbers, utf8(texts));
				from += ENTRIES_AT_ONCE;
			} while (from < entries.length);
		},
		wanted: (whole) => core.wanted(whole),
		digest: (index, text, images) => core.digest(index, text, images),
	};
}

export class Engine {
	/** What a cold return aims at, in real tokens; the core's default where undefined. */
	target: number | undefined;
	readonly #settings: Settings;
	#core: Live | undefined;
	#feed = new Feed();
	#failures = 0;

	constructor(settings: Settings) {
		this.#settings = settings;
		this.target = settings.target;
	}

	get isSwitchedOff(): boolean {
		return this.#failures >= MOST_FAILURES;
	}

	/** Takes note of a failure, of the core or of what stands around it. */
	countFailure(): void {
		this.#failures += 1;
	}

	/**
	 * Uses the core once it knows the session up to its leaf. Throws what `use` throws, and where there were too many
	 * failures.
	 */
	with<T>(session: ReadonlySession, use: (core: Asked, feed: Feed) => T): T {
		if (this.isSwitchedOff) throw new Error("switched off after too many failures in this session");
		try {
			const { object, asked, fed } = this.#live();
			asked.target = object.aimAt(this.target);
			this.#feed.sync(fed, session);
			return use(asked, this.#feed);
		} catch (error) {
			this.#forget();
			// A failed core stays borrowed and the module's memory unknown, so the instance goes, not the object alone.
			isAlive = false;
			throw error;
		}
	}

	/** Frees the core at the end of its session, and leaves the module to the others. */
	close(): void {
		const core = this.#core;
		this.#forget();
		if (isAlive && core?.generation === generation) call(() => core.object.free());
	}

	#forget(): void {
		this.#core = undefined;
		this.#feed = new Feed();
	}

	#live(): Live {
		ensureAlive();
		if (this.#core?.generation !== generation) {
			const { foldMin, keyLines, inTurnAge } = this.#settings;
			const object = new module.Core({ foldMin, keyLines, inTurnAge });
			const fed = fedTo(object);
			this.#core = { object, asked: new Asked(object, fed), fed, generation };
			this.#feed = new Feed();
		}
		return this.#core;
	}
}
