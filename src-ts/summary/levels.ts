/**
 * How long a summary may be and how much of it each part gets, and its tale: the new narrative behind the earlier
 * summaries of the tree, each under its line.
 *
 * All of it follows from the entries, the target and the narrative, so the same session gives the same text.
 */

import { messageOf, stringOf } from "../content.ts";
import { CHARACTERS_A_TOKEN, type SessionEntry } from "../host.ts";
import { condense, type Derive, idOf, type Levels, leavesOf, rootsIn, type Summary, shown, tail } from "./tree.ts";

/** Shares of the target: about 7,000 tokens of 40,000 for the fixed part, 4,000 for the visible summaries. */
const FIXED_OF_TARGET = 1 / 6;
const VISIBLE_OF_TARGET = 1 / 10;
const LEAST_FIXED = 2_000;
const MOST_FIXED = 40_000;
/** A fixed part is at most so large a part of what it replaces. */
const FIXED_OF_REPLACED = 1 / 3;
/** A later summary of a session is at most so many times as long as the first, or so long: about 750 tokens. */
const MOST_OF_FIRST = 1.5;
const LEAST_BOUND = 3_000;
/** Of a length that is bound in this way, the share that the fixed part leaves to the visible summaries, */
const VISIBLE_OF_BOUND = 0.3;
/** more where narratives are long: the new one may be as long as the longest, behind a line of so many units. */
const LINE_UNITS = 170;
/** Titles of the fixed part, and the head. */
const AROUND_UNITS = 500;
const LEAST_BOUND_FIXED = 600;
/** Units that a narrative may have in any case: fewer words than these tell nothing. */
const LEAST_NARRATIVE = 400;
/** However long the new narrative is, the earlier ones have this part of the room for all. */
const LEAST_FOR_EARLIER = 1 / 4;

/** Lengths in UTF-16 units. */
export interface Room {
	readonly fixed: number;
	/** Of the visible summaries, the new one included. */
	readonly visible: number;
	/** Of the whole; undefined for the first of a session. */
	readonly whole: number | undefined;
}

/** `target` in tokens; `replaced`: units of what is taken out of view; `branch`: its entries. */
export function roomFor(branch: readonly SessionEntry[], target: number, replaced: number): Room {
	const share = Math.min(target * FIXED_OF_TARGET * CHARACTERS_A_TOKEN, replaced * FIXED_OF_REPLACED, MOST_FIXED);
	const fixed = Math.max(share, LEAST_FIXED);
	const visible = target * VISIBLE_OF_TARGET * CHARACTERS_A_TOKEN;
	const first = branch.find(isOurs);
	if (first?.type !== "compaction") return { fixed: Math.floor(fixed), visible, whole: undefined };
	const whole = Math.floor(Math.max(MOST_OF_FIRST * first.summary.length, LEAST_BOUND));
	const narratives = rootsIn(branch, String).flatMap(leavesOf);
	const longest = Math.max(0, ...narratives.map(({ thorough }) => thorough.length));
	const expected = (longest + LINE_UNITS) / (1 - LEAST_FOR_EARLIER);
	const left = whole - AROUND_UNITS - Math.max(whole * VISIBLE_OF_BOUND, expected);
	return { fixed: Math.floor(Math.max(LEAST_BOUND_FIXED, Math.min(fixed, left))), visible, whole };
}

/** UTF-16 units that a new narrative may have where `beside` stand around the tale. */
export function roomForNarrative({ whole = Number.POSITIVE_INFINITY }: Room, beside: number): number {
	return Math.max(LEAST_NARRATIVE, Math.floor((whole - beside) * (1 - LEAST_FOR_EARLIER)) - LINE_UNITS);
}

function isOurs(entry: SessionEntry): boolean {
	return entry.type === "compaction" && (entry.details as { by?: unknown } | undefined)?.by === "pi-zip";
}

export interface Telling {
	/** The earlier summaries, oldest first. */
	readonly roots: readonly Summary[];
	/** Of the branch up to the cut, and where those begin that no summary stands for. */
	readonly entries: readonly SessionEntry[];
	readonly fresh: number;
	/** Empty where there is none. */
	readonly narrative: string;
	readonly room: Room;
	/** Units of the summary beside its tale. */
	readonly beside: number;
	readonly derive: Derive;
	/** A tool whose results are no outputs. */
	readonly except: string;
}

export interface Tale {
	readonly text: string;
	readonly levels: Levels;
	/** Where the new narrative stands in the text. */
	readonly narrative: readonly [start: number, end: number];
}

/** The visible summaries: what was to be condensed is condensed. */
export function tell({ roots, entries, fresh, narrative, room, beside, derive, except }: Telling): Tale {
	const [first, last] = [entries[fresh]?.id ?? "", entries.at(-1)?.id ?? ""];
	const line = lineOver(entries, derive, except);
	const short = shortIn(narrative);
	const terse = short ? narrative.slice(...short) : "";
	const id = idOf(first, last, derive);
	const newest: Summary = { id, depth: 1, first, last, children: [], thorough: narrative, terse };
	const own = narrative === "" ? line(newest) : `${line(newest)}\n${narrative}`;
	const most = Math.min(room.visible, (room.whole ?? Number.POSITIVE_INFINITY) - beside);
	const rest = Math.max(most - own.length, most * LEAST_FOR_EARLIER);
	const { roots: visible, condensed } = condense(roots, rest, line, derive);
	const text = [...shown(visible, rest, line), own].join("\n\n");
	const start = text.length - narrative.length;
	const levels = { fresh: first, condensed: condensed.length > 0 ? condensed : undefined, terse: short };
	return { text, levels, narrative: [start, text.length] };
}

/** Heading under which a narrative is told in short. */
export const IN_SHORT = "### In short";

/** Where a narrative is told in short; undefined where it is not. */
function shortIn(narrative: string): [start: number, end: number] | undefined {
	const found = /^#{1,6} *In short:?[^\S\n]*\n+/im.exec(narrative);
	if (!found) return undefined;
	const start = found.index + found[0].length;
	const next = narrative.slice(start).search(/^#{1,6} /m);
	const text = narrative.slice(start, next < 0 ? undefined : start + next).trimEnd();
	return text === "" ? undefined : [start, start + text.length];
}

/** The end of what was told last, for a request that does not have it in view. */
export function olderNarrative(roots: readonly Summary[]): string {
	return tail(roots.at(-1)?.thorough ?? "").toWellFormed();
}

/** Writes lines of summaries that stand for some of the entries. */
function lineOver(entries: readonly SessionEntry[], derive: Derive, except: string): (summary: Summary) => string {
	const places = new Map(entries.map(({ id }, index) => [id, index]));
	const known = new Map<Summary, string>();
	return (summary) => {
		let line = known.get(summary);
		if (line === undefined) {
			const { id, depth, first, last } = summary;
			const outputs = entries.slice(places.get(first) ?? 0, (places.get(last) ?? -1) + 1).filter((entry) => {
				const { role, toolName } = messageOf(entry);
				return role === "toolResult" && stringOf(toolName) !== except;
			});
			line = `[summary ${id}, depth ${depth}, entries ${first} to ${last}, ${handles(outputs, derive)}]`;
			known.set(summary, line);
		}
		return line;
	};
}

function handles(outputs: readonly SessionEntry[], derive: Derive): string {
	const [first, last] = [outputs[0], outputs.at(-1)];
	if (!first || !last) return "no handles";
	if (first === last) return `handle ${derive(first.id)}`;
	return `${outputs.length} handles from ${derive(first.id)} to ${derive(last.id)}`;
}
