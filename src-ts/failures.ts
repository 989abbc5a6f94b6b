/**
 * Failures of ours: each session is told once that one happened, and once that there were too many.
 */

import type { Events } from "./hooks.ts";
import type { ExtensionContext } from "./host.ts";
import type { Notices } from "./notices.ts";
import type { SessionCore } from "./session-core.ts";

/** Hooks that a request passes. */
const OF_A_REQUEST: ReadonlySet<keyof Events> = new Set(["context_with_system", "before_provider_request"]);

export class Failures {
	readonly #core: Pick<SessionCore, "isSwitchedOff">;
	readonly #notices: Notices;
	#isSaid = false;
	#isOffSaid = false;

	constructor(core: Pick<SessionCore, "isSwitchedOff">, notices: Notices) {
		this.#core = core;
		this.#notices = notices;
	}

	/** A handler threw, and Pi went on as if it had not been there. */
	tell(hook: keyof Events, error: unknown, ctx: ExtensionContext): void {
		const { isSwitchedOff } = this.#core;
		if (isSwitchedOff ? this.#isOffSaid : this.#isSaid) return;
		if (isSwitchedOff) this.#isOffSaid = true;
		else this.#isSaid = true;
		const what = error instanceof Error ? error.message : String(error);
		const went = OF_A_REQUEST.has(hook) ? "the request went out as it was" : "Pi went on without it";
		const line = isSwitchedOff
			? `pi-zip · switched off for this session after repeated failures (${what}). Requests go out as plain Pi sends them.`
			: `pi-zip · ${hook} failed (${what}); ${went}.`;
		this.#notices.say(line, ctx, "warning");
	}
}
