/**
 * The summaries of a branch as a tree: each compaction of ours adds one of what no earlier one stands for, and the oldest
 * run of equal depth is put under one of a greater depth where all together have grown too long.
 *
 * The tree is read off the compactions of the branch alone: what a model wrote stands once, in the summary of the
 * compaction that it was written for, and is found there by its place; what stands above is made of these texts by rule.
 * So no text is summed up a second time, and an earlier one is never sent for it. A summary's id follows from the first
 * and the last entry that it stands for. Nothing here asks a model.
 */

import { isRecord, stringOf } from "../content.ts";
import type { SessionEntry } from "../host.ts";
import { oneLine } from "../recall/request.ts";
import { sliceWhole } from "./texts.ts";

/** Summaries under one, and depths. */
export const MOST_CHILDREN = 8;
export const MOST_DEPTH = 8;
/** UTF-16 units of a terse text, and of what a summary keeps of one below it that has none: its tail. */
export const TERSE_UNITS = 600;
/** UTF-16 units of text behind a summary's line where there is room for no more. */
const LINE_UNITS = 200;

export interface Summary {
	/** A handle, as `zip_recall` takes it. */
	readonly id: string;
	/** 1 for one that stands for entries alone. */
	readonly depth: number;
	/** Ids of the first and the last entry that it stands for. */
	readonly first: string;
	readonly last: string;
	readonly children: readonly Summary[];
	/** Empty where no model wrote one. */
	readonly thorough: string;
	/** Empty where there is none. */
	readonly terse: string;
}

/** What the details of a summary of ours tell of the tree. */
export interface Levels {
	/** Id of the first entry that no earlier summary stands for. */
	readonly fresh: string;
	/** Where the terse text stands in the summary, in UTF-16 units. */
	readonly terse?: readonly [start: number, end: number];
	/** What was put together for it, in this order: places among the visible ones, oldest first, and how many. */
	readonly condensed?: readonly (readonly [at: number, count: number])[];
}

/** Derives a handle from an entry's id. */
export type Derive = (entryId: string) => string;

/** The visible summaries of a branch, oldest first. */
export function rootsIn(entries: readonly SessionEntry[], derive: Derive): Summary[] {
	let roots: Summary[] = [];
	for (const entry of entries) if (entry.type === "compaction") roots = grown(roots, entry, derive);
	return roots;
}

/** All that a compaction or branch summary of ours stands for, as one; `before`: the entries that led to it. */
export function wholeOf(entry: SessionEntry, before: readonly SessionEntry[], derive: Derive): Summary | undefined {
	const roots = grown(rootsIn(before, derive), entry, derive);
	const [only] = roots;
	return roots.length > 1 ? above(roots, derive) : only;
}

/** The summary with the id, in it or under it. */
export function withId(id: string, summary: Summary): Summary | undefined {
	if (summary.id === id) return summary;
	for (const child of summary.children) {
		const found = withId(id, child);
		if (found) return found;
	}
	return undefined;
}

/** Those that stand for entries alone, oldest first. */
export function leavesOf(summary: Summary): Summary[] {
	return summary.children.length === 0 ? [summary] : summary.children.flatMap(leavesOf);
}

/** The id of what stands for the entries from `first` to `last`. */
export function idOf(first: string, last: string, derive: Derive): string {
	return derive(`${first}..${last}`);
}

/** The roots with what an entry adds; as they are where it is no summary of ours. Its details may come from any hand. */
function grown(roots: Summary[], entry: SessionEntry, derive: Derive): Summary[] {
	if (entry.type !== "compaction" && entry.type !== "branch_summary") return roots;
	const details: unknown = entry.details;
	if (!isRecord(details) || details.by !== "pi-zip") return roots;
	const levels = isRecord(details.levels) ? details.levels : {};
	const [first, last] = [stringOf(levels.fresh) || stringOf(details.first), stringOf(details.last)];
	// A compaction that was asked for again before there was anything to add stands for nothing of its own.
	if (first === "" || last === "" || roots.at(-1)?.last === last) return roots;
	let all = roots;
	for (const step of Array.isArray(levels.condensed) ? levels.condensed : []) {
		if (Array.isArray(step)) all = together(all, Number(step[0]), Number(step[1]), derive) ?? all;
	}
	const text = (span: unknown) => {
		const [start, end] = Array.isArray(span) ? span.map(Number) : [];
		return stringOf(entry.summary).slice(start ?? 0, end ?? 0);
	};
	const [thorough, terse] = [text(details.narrative), text(levels.terse)];
	return [...all, { id: idOf(first, last, derive), depth: 1, first, last, children: [], thorough, terse }];
}

/** The roots with a run of equal depth put under one; undefined where that cannot be. */
function together(roots: Summary[], at: number, count: number, derive: Derive): Summary[] | undefined {
	const children = roots.slice(at, at + count);
	const [first] = children;
	if (!first || !(count >= 2 && count <= MOST_CHILDREN) || children.length !== count) return undefined;
	if (first.depth >= MOST_DEPTH || children.some(({ depth }) => depth !== first.depth)) return undefined;
	return [...roots.slice(0, at), above(children, derive), ...roots.slice(at + count)];
}

/** What stands above others: its thorough text holds the terse ones of its children, its terse one their beginnings. */
function above(children: readonly Summary[], derive: Derive): Summary {
	const first = children[0]?.first ?? "";
	const last = children.at(-1)?.last ?? "";
	const text = (most: (text: string) => string) =>
		children.map((child) => `- ${child.id}: ${most(shortest(child)) || "without a narrative"}`).join("\n");
	const each = Math.max(1, Math.floor(TERSE_UNITS / children.length) - "- 0abc123def: \n".length);
	return {
		id: idOf(first, last, derive),
		depth: Math.max(...children.map(({ depth }) => depth)) + 1,
		first,
		last,
		children,
		thorough: text((short) => short),
		terse: text((short) => oneLine(short, each)),
	};
}

function shortest({ terse, thorough }: Summary): string {
	return terse ? sliceWhole(terse, 0, TERSE_UNITS) : tail(thorough);
}

/** The end of a text, as a later one keeps it. */
export function tail(text: string): string {
	return text.length <= TERSE_UNITS ? text : `…${sliceWhole(text, text.length - TERSE_UNITS, text.length)}`;
}

/** UTF-16 units between a line and its text, and between two summaries. */
const BETWEEN = "\n".length + "\n\n".length;

/** How the line of a summary is written that each begins with. */
export type Line = (summary: Summary) => string;

/**
 * Puts the oldest run of equal depth under one, as long as the texts of all are longer than `room`. What was done is told
 * as `Levels` keeps it.
 */
export function condense(
	roots: readonly Summary[],
	room: number,
	line: Line,
	derive: Derive,
): { roots: readonly Summary[]; condensed: [at: number, count: number][] } {
	const condensed: [number, number][] = [];
	let all = [...roots];
	const length = (summary: Summary) => line(summary).length + summary.thorough.length + BETWEEN;
	while (all.reduce((sum, one) => sum + length(one), 0) > room) {
		const at = all.findIndex(({ depth }, index) => depth < MOST_DEPTH && depth === all[index + 1]?.depth);
		const depth = all[at]?.depth;
		const behind = all.findIndex((one, index) => index > at && one.depth !== depth);
		const count = Math.min(MOST_CHILDREN, (behind < 0 ? all.length : behind) - at);
		const next = at < 0 ? undefined : together(all, at, count, derive);
		if (!next) break;
		condensed.push([at, count]);
		all = next;
	}
	return { roots: all, condensed };
}

/**
 * The summaries as they are shown, oldest first: of each the richest text for which there is room, the newest first, at
 * least the line with the beginning of its text. None is left out, so where even that is too much, it is longer.
 */
export function shown(roots: readonly Summary[], room: number, line: Line): string[] {
	const forms = roots.map((root) => {
		const least = oneLine(root.terse || root.thorough, LINE_UNITS);
		return [root.thorough, root.terse, least].filter((text, index) => text !== "" || index === 2);
	});
	let left = room;
	for (const [index, root] of roots.entries())
		left -= line(root).length + (forms[index]?.at(-1)?.length ?? 0) + BETWEEN;
	return roots
		.map((root, index) => ({ root, index }))
		.reverse()
		.map(({ root, index }) => {
			const least = forms[index]?.at(-1) ?? "";
			const text = forms[index]?.find((form) => form.length - least.length <= left) ?? least;
			left -= text.length - least.length;
			return text === "" ? line(root) : `${line(root)}\n${text}`;
		})
		.reverse();
}
