/**
 * What the user has chosen for a session: on or off, quiet or not. Kept in the session as custom entries, the newest of
 * which counts.
 */

import { isRecord } from "./content.ts";
import type { ExtensionAPI, ExtensionContext } from "./host.ts";

/** Custom type of the entries that keep the choice. */
const STATE_ENTRY = "pi-zip.state";

export interface Choice {
	readonly enabled: boolean;
	readonly quiet: boolean;
}

/** `quiet` is what the user's settings say, where the session has no choice of its own. */
export function readChoice(session: Pick<ExtensionContext["sessionManager"], "getEntries">, quiet = false): Choice {
	const newest = session.getEntries().findLast((entry) => entry.type === "custom" && entry.customType === STATE_ENTRY);
	const data = newest?.type === "custom" ? newest.data : undefined;
	if (!isRecord(data)) return { enabled: true, quiet };
	return { enabled: data.enabled !== false, quiet: data.quiet === true };
}

export function keepChoice(pi: Pick<ExtensionAPI, "appendEntry">, choice: Choice): void {
	pi.appendEntry(STATE_ENTRY, choice);
}
