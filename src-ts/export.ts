/**
 * `/zip export`: the session as lines of JSON, each with what the model sees of an entry at present and what the entry holds.
 *
 * Made for reading elsewhere: nothing is taken out of it, so it is written for its owner alone and says so.
 */

import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { Disk } from "./files.ts";
import { count } from "./format.ts";
import type { ExtensionCommandContext } from "./host.ts";
import { partsOf } from "./recall/parts.ts";
import { type EntryLike, type SearchedSession, visibility } from "./search/documents.ts";

const WARNING = "This file holds the session as it is, with any secret that was in it.";

export async function exportSession(
	ctx: ExtensionCommandContext,
	disk: Pick<Disk, "writeLines">,
	handleOf: (entryId: string) => string,
	isCarried: (entryId: string) => boolean,
): Promise<string> {
	const session = ctx.sessionManager;
	const name = basename(session.getSessionFile() ?? session.getSessionId(), ".jsonl");
	const path = join(tmpdir(), `pi-zip-${name}.export.jsonl`);
	try {
		const written = await disk.writeLines(path, exportLines(session, handleOf, isCarried));
		return `pi-zip · wrote ${count(written - 1, "entry", "entries")} to ${path} (for you alone: secrets of the session are in it)`;
	} catch (error) {
		return `pi-zip · no export: ${error instanceof Error ? error.message : String(error)}`;
	}
}

/** A line of what the file is, and one for each entry that says something, in the order of the session. */
export function* exportLines(
	session: SearchedSession & { getSessionId(): string; getCwd(): string },
	handleOf: (entryId: string) => string,
	isCarried: (entryId: string) => boolean,
): Generator<string> {
	const { getSessionId, getCwd } = session;
	yield JSON.stringify({ warning: WARNING, session: getSessionId.call(session), folder: getCwd.call(session) });
	const branch = session.getBranch();
	const onBranch = new Set(branch.map(({ id }) => id));
	const visibilityOf = visibility(session, isCarried);
	const shown = new Map<string, unknown>();
	for (const entry of branch) {
		if (entry.type !== "context_edit") continue;
		const { targetId, replacement } = entry as EntryLike & {
			targetId: string;
			replacement: { content: unknown } | null;
		};
		shown.set(targetId, replacement?.content ?? null);
	}
	for (const entry of session.getEntries()) {
		const parts = partsOf(entry);
		if (parts.length === 0) continue;
		const view = visibilityOf({ entry, isLeft: !onBranch.has(entry.id) });
		const isReplaced = view === "folded" || view === "edited";
		yield JSON.stringify({
			handle: handleOf(entry.id),
			entry: entry.id,
			view,
			...(isReplaced ? { seen: shown.get(entry.id) } : {}),
			original: parts,
		});
	}
}
