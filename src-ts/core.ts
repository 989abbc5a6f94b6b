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
import type { ReadonlySession, SessionEntry } from "./host.ts";
import type { Settings } from "./settings.ts";

export type {
	WireCache,
	WireEdit,
	WirePlan,
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

/**
 * Counts the module's instances. There is one for all sessions of the process, and a fresh one leaves the cores of the
 * one before it dead.
 */
let generation = 0;

function freshModule(): void {
	if (generation === 0) module.initSync({ module: readBytes(fileURLToPath(MODULE)) });
	else module.__wbg_reset_state();
	generation += 1;
}

/** Calls a free function of the module. After a throw the next call finds a fresh module. */
function call<T>(use: () => T): T {
	if (generation === 0) freshModule();
	try {
		return use();
	} catch (error) {
		freshModule();
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
	readonly #fed: (fresh: readonly SessionEntry[]) => void;

	/**
	 * `fed` hears of entries that are new to the core, oldest first: each once, and all of them again where a core had to
	 * be replaced.
	 */
	constructor(settings: Settings, fed: (fresh: readonly SessionEntry[]) => void) {
		this.#settings = settings;
		this.#fed = fed;
	}

	get isSwitchedOff(): boolean {
		return this.#failures >= MOST_FAILURES;
	}

	/**
	 * Uses the core once it knows the session up to its leaf. Throws what `use` throws, and `CoreSwitchedOff` where the
	 * core has failed too often.
	 */
	with<T>(session: ReadonlySession, use: (core: module.Core, feed: Feed) => T): T {
		if (this.isSwitchedOff) throw new CoreSwitchedOff("the core failed too often in this session");
		try {
			const core = this.#live();
			const fresh = this.#feed.sync(core, session);
			if (fresh.length > 0) this.#fed(fresh);
			return use(core, this.#feed);
		} catch (error) {
			this.#failures += 1;
			this.drop();
			throw error;
		}
	}

	/** Lets go of the core; the next use starts anew. */
	drop(): void {
		const core = this.#core;
		this.#core = undefined;
		this.#feed = new Feed();
		if (core?.generation !== generation) return;
		// A failed core stays borrowed and its module's state unknown, so the module goes, not the object alone.
		freshModule();
	}

	/** Frees the core at the end of its session, and leaves the module to the others. */
	close(): void {
		if (this.#core?.generation === generation) this.#core.object.free();
		this.#core = undefined;
		this.#feed = new Feed();
	}

	#live(): module.Core {
		if (generation === 0) freshModule();
		if (this.#core?.generation !== generation) {
			const { foldMin, target, keyLines, inTurnAge } = this.#settings;
			this.#core = { object: new module.Core({ foldMin, target, keyLines, inTurnAge }), generation };
			this.#feed = new Feed();
		}
		return this.#core.object;
	}
}
