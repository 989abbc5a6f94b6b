/**
 * The view that Pi would have without us: its own projection of the branch, our edits left out.
 */

import { buildSessionProjection, type ContextEditEntry, type SessionEntry } from "@earendil-works/pi-coding-agent";

/** How each placeholder begins. */
export const FOLDED = "[folded by pi-zip";

export function isOurEdit(entry: SessionEntry): entry is ContextEditEntry {
	return entry.type === "context_edit" && JSON.stringify(entry.replacement).includes(FOLDED);
}

export function plainView(branch: readonly SessionEntry[]): { plain: string[]; ids: string[] } {
	// A compaction may name an edit as the first entry that it keeps, so each leaves something in its place.
	const entries = branch.map((entry): SessionEntry => {
		const { id, parentId, timestamp } = entry;
		return isOurEdit(entry) ? { type: "custom", id, parentId, timestamp, customType: "left out" } : entry;
	});
	const projection = buildSessionProjection(entries);
	const ids = projection.entries.flatMap(({ sourceEntry, messages }) => messages.map(() => sourceEntry.id));
	return { plain: projection.messages.map((message) => JSON.stringify(message)), ids };
}
