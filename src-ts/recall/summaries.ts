/**
 * Summaries by their ids: which entries one stands for, on whatever branch, and what a recall of one shows: its text, what
 * it covers with sizes, and the originals in order.
 *
 * The originals stand in it as the session has them, each behind a line that names it. Thinking, and what this package's
 * own tools answered, is left to the recall of single entries.
 */

import type { SessionEntry } from "@earendil-works/pi-coding-agent";
import { OWN_TOOLS } from "../search/documents.ts";
import { type Derive, leavesOf, type Summary, wholeOf, withId } from "../summary/tree.ts";
import { isToolResult, naming, type SessionReader, subjectOf } from "./originals.ts";
import { type Part, partsOf } from "./parts.ts";
import { oneLine } from "./request.ts";

export interface Covered {
	readonly summary: Summary;
	/** Id of the entry that it was found by. */
	readonly madeBy: string;
	/** Oldest first. */
	readonly entries: readonly SessionEntry[];
}

/** UTF-16 units of originals that are joined; of what stands above more, the summaries below are recalled one by one. */
const MOST_JOINED = 8 * 1024 * 1024;
const WHAT_UNITS = 80;

/** The summary with the id; undefined where there is none in the file, or its entries are gone. */
export function coveredBy(session: SessionReader, id: string, derive: Derive): Covered | undefined {
	const summaries = session.getEntries().filter(({ type }) => type === "compaction" || type === "branch_summary");
	for (const entry of summaries.reverse()) {
		const whole = summaryIn(session, entry, derive);
		const summary = whole && withId(id, whole);
		if (!summary) continue;
		const entries = pathTo(session, summary.last, summary.first);
		return entries[0]?.id === summary.first ? { summary, madeBy: entry.id, entries } : undefined;
	}
	return undefined;
}

/** Ids of the summaries that are in view on a branch, newest first. */
export function idsOn(branch: readonly SessionEntry[], session: SessionReader, derive: Derive): string[] {
	const found = branch.toReversed().flatMap((entry) => summaryIn(session, entry, derive) ?? []);
	return found.flatMap(({ id, children }) => [id, ...children.map((child) => child.id)]);
}

/** By entry id, the summary of depth 1 that stands for it. */
export function leavesOn(branch: readonly SessionEntry[], session: SessionReader, derive: Derive): Map<string, string> {
	const leaves = new Map<string, string>();
	const newest = branch.findLast((entry) => summaryIn(session, entry, derive) && entry.type === "compaction");
	const whole = newest && summaryIn(session, newest, derive);
	for (const { id, first, last } of whole ? leavesOf(whole) : []) {
		for (const entry of pathTo(session, last, first)) leaves.set(entry.id, id);
	}
	return leaves;
}

function summaryIn(session: SessionReader, entry: SessionEntry, derive: Derive): Summary | undefined {
	if (entry.type !== "compaction" && entry.type !== "branch_summary") return undefined;
	const { by, first, last } = (entry.details ?? {}) as { by?: unknown; first?: unknown; last?: unknown };
	if (by !== "pi-zip" || typeof first !== "string" || typeof last !== "string") return undefined;
	// What a compaction keeps in view stands in front of it, earlier compactions among it.
	const end = entry.type === "compaction" ? (entry.parentId ?? "") : last;
	return wholeOf(entry, pathTo(session, end, first), derive);
}

/** The entries from `first`, or from the root where it is not on the way, to `last`. */
function pathTo(session: SessionReader, last: string, first: string): SessionEntry[] {
	const path: SessionEntry[] = [];
	const seen = new Set<string>();
	for (let at = session.getEntry(last); at && !seen.has(at.id); ) {
		seen.add(at.id);
		path.push(at);
		if (at.id === first) break;
		at = at.parentId ? session.getEntry(at.parentId) : undefined;
	}
	return path.reverse();
}

/** The texts of an entry that belong to what a summary covers. */
export function textsOf(entry: SessionEntry): readonly Part[] {
	if (entry.type === "compaction") return [];
	return partsOf(entry).filter((part) => part.text !== "" && part.label !== "thinking" && !OWN_TOOLS.has(part.tool));
}

export function unitsOf(entries: readonly SessionEntry[]): number {
	return entries.reduce((sum, entry) => sum + textsOf(entry).reduce((all, { text }) => all + text.length, 0), 0);
}

/** What a recall of the summary shows. */
export function recalled(session: SessionReader, { summary, entries }: Covered, derive: Derive): string {
	const told = entries.filter((entry) => textsOf(entry).length > 0);
	const within = (child: Summary) => pathTo(session, child.last, child.first);
	const list =
		summary.children.length > 0
			? summary.children.map((child) => `${child.id}: summary of depth ${child.depth}, ${sizes(within(child))}`)
			: told.map((entry) => `${derive(entry.id)}: ${about(session, entry)}, ${unitsOf([entry])} characters`);
	const text = summary.thorough === "" ? [] : summary.thorough.split("\n");
	const behind = text.length + list.length + 2;
	const head = `Summary ${summary.id} of depth ${summary.depth} covers ${sizes(entries)}; the originals follow in order from line ${behind} on.`;
	const pieces: string[] = [];
	let left = MOST_JOINED;
	for (const entry of told) {
		left -= unitsOf([entry]);
		if (left < 0) {
			pieces.push("[There is more: recall the summaries below this one, or single handles.]");
			break;
		}
		for (const part of textsOf(entry))
			pieces.push(`[${derive(entry.id)}: ${aboutPart(session, entry, part)}]\n${part.text}`);
	}
	return [head, ...text, ...list, ...pieces].join("\n");
}

function sizes(entries: readonly SessionEntry[]): string {
	return `${entries.filter((entry) => textsOf(entry).length > 0).length} entries with ${unitsOf(entries)} characters`;
}

function about(session: SessionReader, entry: SessionEntry): string {
	const names = textsOf(entry).map((part) => aboutPart(session, entry, part));
	return names.join("; ");
}

function aboutPart(session: SessionReader, entry: SessionEntry, part: Part): string {
	const { name, what } = naming(part);
	return oneLine(`${name} ${isToolResult(entry) ? subjectOf(session, entry) : what}`, WHAT_UNITS);
}
