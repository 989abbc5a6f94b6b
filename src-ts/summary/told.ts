/**
 * What the user is told of summaries: a line when one has taken its place, and what `/zip` shows of the newest.
 */

import { count, dollars, tokens } from "../format.ts";
import type { CompactionEntry, SessionEntry } from "../host.ts";
import { detailsOf, type SummaryDetails, UNUSED_KIND } from "./details.ts";

/** What is said of a compaction of ours; undefined for another's. `context` is the size of what is in view now. */
export function compactionLine(entry: CompactionEntry, context: number): string | undefined {
	const details = detailsOf(entry);
	return details && writtenLine(details, entry.tokensBefore, context);
}

/** Sizes in tokens. */
export function writtenLine(
	{ requests, seconds, path, reason, ahead }: SummaryDetails,
	before: number,
	after: number,
): string {
	const sizes = `${tokens(before)} → ${tokens(after)}`;
	const how = path === "fixed part only" ? ` · without a narrative (${reason})` : "";
	const when = ahead ? " while you were away" : "";
	return `pi-zip · summarised ${count(requests, "request")} · ${sizes} · ${seconds} s${when}${how}`;
}

/** What `/zip` shows of the newest compaction. */
export function summaryLines(branch: readonly SessionEntry[]): string[] {
	const unused = branch.flatMap((entry) => (entry.type === "usage" && entry.kind === UNUSED_KIND ? [entry.usage] : []));
	const price = unused.reduce((sum, usage) => sum + usage.cost.total, 0);
	const more = unused.length > 0 ? [`summaries that were not used: ${unused.length}, ${dollars(price)}`] : [];
	return [...newestLines(branch), ...more];
}

function newestLines(branch: readonly SessionEntry[]): string[] {
	const newest = branch.findLast((entry) => entry.type === "compaction" || entry.type === "branch_summary");
	if (!newest) return [];
	const details = detailsOf(newest);
	if (!details) return ["last summary: Pi's"];
	const { path, reason, failed = 0, seconds, read, written, put, price } = details;
	const tries = failed > 0 ? `, ${count(failed, "failed attempt")}` : "";
	const figures = `${tokens(read)} read, ${tokens(written)} written, ${tokens(put)} put out, ${dollars(price)}`;
	return [`last summary: ${path} (${reason}${tries}), ${seconds} s, ${figures}`];
}
