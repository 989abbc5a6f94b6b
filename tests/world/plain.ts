/**
 * The view that Pi would have without us: its own projection of the branch, our edits left out.
 */

import { buildSessionProjection, type ContextEditEntry, type SessionEntry } from "@earendil-works/pi-coding-agent";

/** How each placeholder begins. */
export const FOLDED = "[folded by pi-zip";

/**
 * Whether an entry of the branch is an edit of ours: it shows a placeholder. One that omits a result would be ours too,
 * since nobody else makes such in these sessions.
 */
export function isOurEdit(entry: SessionEntry, branch: readonly SessionEntry[]): entry is ContextEditEntry {
	if (entry.type !== "context_edit") return false;
	if (entry.replacement !== null) return JSON.stringify(entry.replacement).includes(FOLDED);
	const target = branch.find(({ id }) => id === entry.targetId);
	return target?.type === "message" && target.message.role === "toolResult";
}

export function plainView(branch: readonly SessionEntry[]): { plain: string[]; ids: string[] } {
	// A compaction may name an edit as the first entry that it keeps, so each leaves something in its place.
	const entries = branch.map((entry): SessionEntry => {
		const { id, parentId, timestamp } = entry;
		return isOurEdit(entry, branch) ? { type: "custom", id, parentId, timestamp, customType: "left out" } : entry;
	});
	const projection = buildSessionProjection(entries);
	const ids = projection.entries.flatMap(({ sourceEntry, messages }) => messages.map(() => sourceEntry.id));
	return { plain: projection.messages.map((message) => JSON.stringify(message)), ids };
}
