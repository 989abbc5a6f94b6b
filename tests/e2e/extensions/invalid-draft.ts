/** Returns an edit of an entry that does not exist at its first `turn_end`s, which voids every draft of that boundary. */
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

/** Boundaries that it spoils in each run. */
const SPOILED = 2;

export default function invalidDraft(pi: ExtensionAPI): void {
	let left = 0;
	pi.on("before_agent_start", () => {
		left = SPOILED;
	});
	pi.on("turn_end", ({ entries }) => {
		if (left <= 0) return undefined;
		left -= 1;
		return {
			entries: [...entries, { type: "context_edit", targetId: "no-such-entry", replacement: { content: "x" } }],
		};
	});
}
