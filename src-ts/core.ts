/**
 * The Rust core: loads the module, keeps one core fed for a session, and replaces it when it failed.
 *
 * The only file that loads the module. A trap or a throw leaves a core that cannot be trusted: it is dropped, the
 * request in hand goes out untouched, and the next use starts a fresh module and feeds it the branch again.
 */

import { fileURLToPath } from "node:url";
import * as module from "../build/core/core.js";
import { Asked } from "./asked.ts";
import { type Fed, Feed, utf8 } from "./feed.ts";
import { readBytes } from "./files.ts";
import type { ReadonlySession } from "./host.ts";
import type { Settings } from "./settings.ts";
import { pack } from "./wire.ts";

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

/**
 * Puts a fresh instance in the place of a failed one, at once: what a trap has left borrowed would trap again, outside of
 * any handler, when the engine collects it, and only an instance that is no longer the current one is passed by then.
 */
function replaceFailed(): void {
	isAlive = false;
	try {
		ensureAlive();
	} catch {
		// The next use tries again, and says why where it cannot.
	}
}

/** Calls a free function of the module. After a throw the next call finds a fresh instance. */
function call<T>(use: () => T): T {
	ensureAlive();
	try {
		return use();
	} catch (error) {
		replaceFailed();
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
			replaceFailed();
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
			this.#core = { object, asked: new Asked(object, fed, learner.edges), fed, generation };
			this.#feed = new Feed();
		}
		return this.#core;
	}
}
