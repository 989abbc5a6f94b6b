/**
 * Esc while a prompt waits for us inside a request of its run: it ends the waiting, and not the run.
 */

import type { ExtensionContext, Host } from "../host.ts";

export interface Waiting {
	/** Ends with the run, and where Esc was pressed. */
	readonly signal: AbortSignal;
	/** From here on Esc is Pi's again. */
	end(): void;
}

export function waiting(host: Host, { mode, ui }: ExtensionContext, run: AbortSignal): Waiting {
	// The context of an older Pi may not give its keys away.
	if (mode !== "tui" || typeof ui.onTerminalInput !== "function") return { signal: run, end() {} };
	const own = new AbortController();
	const end = ui.onTerminalInput((data) => {
		if (!host.tui.matchesKey(data, "escape")) return undefined;
		own.abort();
		return { consume: true };
	});
	return { signal: AbortSignal.any([run, own.signal]), end };
}
