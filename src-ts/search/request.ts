/**
 * What a model asked of `zip_search`, read leniently, and refused with a sentence to act on where it has no reading.
 */

import { oneLine } from "../recall/request.ts";

/** Where is searched: this session's branch, with the branches that were left; with past sessions of this folder, or all. */
export const PLACES = ["session", "removed", "project", "all"] as const;
export type Place = (typeof PLACES)[number];
export const ROLES = ["user", "assistant", "call", "tool", "summary"] as const;

export interface SearchRequest {
	/** Exactly one of `query` and `pattern`; none where `in` is given alone. */
	query?: string;
	pattern?: string;
	caseSensitive: boolean;
	where: Place;
	/** The id of a summary: only what it covers is looked at. */
	in?: string;
	/** In lower case, as the others: what a tool's name, and what a path, a command or the like holds. */
	tool?: string;
	path?: string;
	role?: string;
	/** User turns, both included. */
	turns?: { first: number; last: number };
	/** Hits of a page, and those in front of it. */
	limit: number;
	offset: number;
}

export const PAGE_HITS = 20;
const MOST_HITS = 50;
/** UTF-16 units of a query or a pattern; what is longer is pasted text. */
const MOST_UNITS = 2_000;

/** `most`: hits of a page at most. */
export function readSearch(
	args: Readonly<Record<string, unknown>>,
	most = MOST_HITS,
): SearchRequest | { refusal: string } {
	const [query, pattern] = [text(args.query), text(args.pattern)];
	const within = text(args.in)?.toLowerCase();
	if (query === undefined && pattern === undefined && within === undefined) {
		return { refusal: 'give query (words, "phrases") or pattern (a regular expression)' };
	}
	if (query !== undefined && pattern !== undefined) return { refusal: "give query or pattern, not both" };
	const units = (query ?? pattern ?? "").length;
	if (units > MOST_UNITS) {
		return { refusal: `${units} characters are more than is looked for: give ${MOST_UNITS} at most` };
	}
	const where = text(args.where)?.toLowerCase() ?? "session";
	if (!isPlace(where)) return { refusal: `where ${shown(args.where)} is none of ${PLACES.join(", ")}` };
	if (within !== undefined && (where === "project" || where === "all")) {
		return { refusal: `in looks at this session: leave out where ${shown(args.where)}` };
	}
	const role = text(args.role)?.toLowerCase();
	if (role !== undefined && !(ROLES as readonly string[]).includes(role)) {
		return { refusal: `role ${shown(args.role)} is none of ${ROLES.join(", ")}` };
	}
	const turns = readTurns(args.turns);
	if (turns && "refusal" in turns) return turns;
	const limit = count(args.limit);
	const offset = count(args.offset);
	if (limit === undefined) return { refusal: `limit ${shown(args.limit)} is no whole number from 1 to ${most}` };
	if (offset === undefined) return { refusal: `offset ${shown(args.offset)} is no whole number from 0` };
	return {
		...(query === undefined ? { pattern } : { query }),
		caseSensitive: args.case_sensitive === true || args.case_sensitive === "true",
		where,
		...(within === undefined ? {} : { in: HANDLE.exec(within)?.[0] ?? within }),
		tool: text(args.tool)?.toLowerCase(),
		path: text(args.path)?.toLowerCase(),
		role,
		turns,
		limit: Math.min(limit || PAGE_HITS, most),
		offset,
	};
}

/** The call that asks for `request`, as a model would write it. */
export function searchCall(request: SearchRequest): string {
	return `zip_search ${JSON.stringify(searchArguments(request))}`;
}

export function searchArguments(request: SearchRequest): Record<string, unknown> {
	const { query, pattern, caseSensitive, where, in: within, tool, path, role, turns, limit, offset } = request;
	return {
		query,
		pattern,
		case_sensitive: caseSensitive || undefined,
		where: where === "session" ? undefined : where,
		in: within,
		tool,
		path,
		role,
		turns: turns && `${turns.first}-${turns.last}`,
		limit: limit === PAGE_HITS ? undefined : limit,
		offset: offset || undefined,
	};
}

/** What the id of a summary looks like; other words may stand around it. */
const HANDLE = /\b[0-9a-z]{10}\b/;

/** Turns beyond this are as good as all. */
const LAST_TURN = 1_000_000;

/** `3-7`, `3-`, `-7`, `3`. */
function readTurns(value: unknown): SearchRequest["turns"] | { refusal: string } {
	const written = text(Array.isArray(value) ? value.join("-") : value);
	if (written === undefined) return undefined;
	const [, from = "", dash, to = ""] = /^(\d*)\s*(-|–|\.\.)?\s*(\d*)$/.exec(written.replace(/turns?\s*/i, "")) ?? [];
	if (from === "" && to === "") return { refusal: `turns ${shown(value)} are none: write "3-7", "3-", "-7" or "3"` };
	const first = Number(from);
	const end = dash === undefined ? from : to;
	const last = end === "" ? LAST_TURN : Number(end);
	if (last < first) return { refusal: `turns ${shown(value)} end before they begin` };
	return { first, last };
}

function isPlace(where: string): where is Place {
	return (PLACES as readonly string[]).includes(where);
}

function text(value: unknown): string | undefined {
	if (typeof value === "number") return String(value);
	return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

function count(value: unknown): number | undefined {
	if (value === undefined || value === null || value === "") return 0;
	const number = Number(value);
	return Number.isInteger(number) && number >= 0 ? Math.min(number, 0xffff_ffff) : undefined;
}

function shown(value: unknown): string {
	return oneLine(JSON.stringify(value) ?? String(value), 60);
}
