/**
 * The Rust core: loads the module, keeps one core fed for a session, and replaces it when it failed.
 *
 * The only file that knows the module. A trap or a throw leaves a core that cannot be trusted: it is dropped, the
 * request in hand goes out untouched, and the next use starts a fresh module and feeds it the branch again.
 */

import { fileURLToPath } from "node:url";
import * as module from "../build/core/core.js";
import { Feed } from "./feed.ts";
import { readBytes } from "./files.ts";
import type { ReadonlySession } from "./host.ts";
import type { Settings } from "./settings.ts";

export type {
	WireCache,
	WireEdit,
	WirePlan,
	WirePrices,
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

/** Raised where the core has failed too often to be tried again. */
export class CoreSwitchedOff extends Error {
	override name = "CoreSwitchedOff";
}

export class Engine {
	readonly #settings: Settings;
	#core: { object: module.Core; generation: number } | undefined;
	#feed = new Feed();
	#failures = 0;

	constructor(settings: Settings) {
		this.#settings = settings;
	}

	get isSwitchedOff(): boolean {
		return this.#failures >= MOST_FAILURES;
	}

	/** Takes note of a failure, of the core or of what stands around it. */
	countFailure(): void {
		this.#failures += 1;
	}

	/**
	 * Uses the core once it knows the session up to its leaf. Throws what `use` throws, and `CoreSwitchedOff` where there
	 * were too many failures.
	 */
	with<T>(session: ReadonlySession, use: (core: module.Core, feed: Feed) => T): T {
		if (this.isSwitchedOff) throw new CoreSwitchedOff("switched off after too many failures in this session");
		try {
			const core = this.#live();
			this.#feed.sync(core, session);
			return use(core, this.#feed);
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

	#live(): module.Core {
		ensureAlive();
		if (this.#core?.generation !== generation) {
			const { foldMin, target, keyLines, inTurnAge } = this.#settings;
			this.#core = { object: new module.Core({ foldMin, target, keyLines, inTurnAge }), generation };
			this.#feed = new Feed();
		}
		return this.#core.object;
	}
}
