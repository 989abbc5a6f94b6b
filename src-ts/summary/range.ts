/**
 * Which entries a summary stands for: up to the first one that stays, and which of them no earlier summary has told of. The
 * core says where pairing allows a cut.
 */

import type { Asked } from "../asked.ts";
import type { Feed } from "../feed.ts";
import { CHARACTERS_A_TOKEN, type ExtensionContext, type Message, type SessionEntry } from "../host.ts";
import { detailsOf } from "./details.ts";
import type { Range } from "./summaries.ts";

/** The entries of the view but the newest `keep` tokens, as Pi counts them. */
export function tailRange(
	core: Asked,
	feed: Feed,
	ctx: ExtensionContext,
	keep: number,
	estimate: (message: Message) => number,
): Range | undefined {
	const { entries } = ctx.sessionManager.buildSessionProjection();
	const sizes = entries.map(({ messages }) =>
		messages.reduce((sum, it) => sum + (it.role === "system" ? 0 : estimate(it)), 0),
	);
	let [first, kept] = [entries.length, 0];
	while (first > 0 && kept < keep) {
		first -= 1;
		kept += sizes[first] ?? 0;
	}
	const keptFirst = entries[first]?.sourceEntry;
	const wanted = feed.position(keptFirst?.id);
	if (wanted === undefined || first === 0 || keptFirst?.type === "compaction") return undefined;
	const fresh = firstFresh(feed, ctx.sessionManager.getBranch());
	const until = core.cut(fresh, wanted);
	const units = sizes.slice(0, first).reduce((sum, it) => sum + it, 0) * CHARACTERS_A_TOKEN;
	return until === undefined ? undefined : { from: 0, until, fresh, units };
}

/** The entries that a compaction stands for, where it is cut near the entry that Pi would keep first. */
export function cutRange(
	core: Asked,
	feed: Feed,
	branch: readonly SessionEntry[],
	firstKeptId: string,
	units: number,
): Range | undefined {
	const wanted = feed.position(firstKeptId);
	if (wanted === undefined || feed.length !== branch.length) return undefined;
	const fresh = firstFresh(feed, branch);
	const until = core.cut(fresh, wanted);
	return until === undefined ? undefined : { from: 0, until, fresh, units };
}

/** The first entry that no compaction has told a model of. */
export function firstFresh(feed: Feed, branch: readonly SessionEntry[]): number {
	const newest = branch.findLast((entry) => entry.type === "compaction");
	if (newest?.type !== "compaction") return 0;
	const last = detailsOf(newest)?.last;
	const behind = last === undefined ? undefined : feed.position(last);
	if (behind !== undefined) return behind + 1;
	return feed.position(newest.firstKeptEntryId) ?? feed.position(newest.id) ?? 0;
}
