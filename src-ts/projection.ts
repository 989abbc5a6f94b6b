/**
 * Pi's projection of a session, by Pi's own code, without the walks over what a compaction has replaced: in a session of
 * 10,000 entries those take longer than everything else that is done for a prompt.
 *
 * Knows of Pi's rules one thing: nothing in front of the first entry that the newest compaction keeps is in view.
 */

import { ancestry, type Host, type ReadonlySession, type SessionEntry, type SessionProjection } from "./host.ts";

export type Project = (session: ReadonlySession) => SessionProjection;

export function projector({ pi }: Host): Project {
	return (session) => pi.buildSessionProjection([], session.getLeafId(), inReach(session));
}

/** The entries that may be in view, by id. */
function inReach(session: ReadonlySession): Map<string, SessionEntry> {
	const entries = new Map<string, SessionEntry>();
	let compaction: SessionEntry | undefined;
	for (const entry of ancestry(session)) {
		entries.set(entry.id, entry);
		if (compaction?.type === "compaction" && compaction.firstKeptEntryId === entry.id) break;
		if (entry.type === "compaction") compaction ??= entry;
	}
	return entries;
}
