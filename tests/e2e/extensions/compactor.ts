/** Writes compactions of its own, as a few extensions do. */
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

export const ITS_SUMMARY = "A summary by another extension.";

export default function compactor(pi: ExtensionAPI): void {
	pi.on("session_before_compact", ({ preparation: { firstKeptEntryId, tokensBefore } }) => ({
		compaction: { summary: ITS_SUMMARY, firstKeptEntryId, tokensBefore },
	}));
}
