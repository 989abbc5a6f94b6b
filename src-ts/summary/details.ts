/**
 * What the session keeps of how a summary came about, in the details of its entry and, where it was not used, in a usage
 * entry; and whether an entry is one of ours.
 */

import { isRecord } from "../content.ts";
import type { SessionEntry } from "../host.ts";
import type { Outcome } from "./narrative.ts";
import type { Levels } from "./tree.ts";

/** What the session keeps beside a summary of ours: no text of it, no key, no error's words. */
export interface SummaryDetails {
	readonly version: 1;
	readonly by: "pi-zip";
	/** Ids of the first and the last entry that it stands for. */
	readonly first: string;
	readonly last: string;
	readonly requests: number;
	readonly outputs: number;
	readonly path: "cached" | "uncached" | "fixed part only";
	readonly reason: Outcome;
	/** Attempts that failed or were refused; left out where there were none. */
	readonly failed?: number;
	/** Written while the user was away. */
	readonly ahead?: true;
	readonly seconds: number;
	/** Tokens of all calls that were made for it, and their price in dollars. */
	readonly read: number;
	readonly written: number;
	readonly put: number;
	readonly price: number;
	/** Where the narrative stands in the summary, in UTF-16 units. */
	readonly narrative?: readonly [start: number, end: number];
	/** Its place in the tree of summaries. */
	readonly levels: Levels;
}

/** Kind of the usage entry that counts a summary which was not used. */
export const UNUSED_KIND = "pi-zip.summary";

/** What an entry keeps of a summary of ours; undefined for any other entry. */
export function detailsOf(entry: SessionEntry | undefined): SummaryDetails | undefined {
	if (entry?.type !== "compaction" && entry?.type !== "branch_summary") return undefined;
	const details: unknown = entry.details;
	if (!isRecord(details) || details.by !== "pi-zip" || details.version !== 1) return undefined;
	const numbers = ["requests", "outputs", "seconds", "read", "written", "put", "price"].map((name) => details[name]);
	if (details.failed !== undefined) numbers.push(details.failed);
	const texts = ["first", "last", "path", "reason"].map((name) => details[name]);
	const span = details.narrative ?? [0, 0];
	const fits =
		numbers.every(Number.isFinite) &&
		texts.every((text) => typeof text === "string") &&
		Array.isArray(span) &&
		span.every(Number.isInteger);
	return fits ? (details as unknown as SummaryDetails) : undefined;
}
