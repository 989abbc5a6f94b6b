/**
 * What a search answers: each hit as its handle, its place and a few lines, and how to go on. Lines are shown, not
 * quoted: control characters and long lines give way, and `zip_recall` has the text as it is.
 */

import type { SessionEntry } from "@earendil-works/pi-coding-agent";
import { naming, partName, type SessionReader, subjectOf } from "../recall/originals.ts";
import { partsOf } from "../recall/parts.ts";
import { oneLine } from "../recall/request.ts";
import type { Document } from "./documents.ts";
import { MOST_PAST_HITS, type PastFound } from "./past.ts";
import { type SearchRequest, searchCall } from "./request.ts";
import type { Found, Hit } from "./scan.ts";

export interface SearchDetails {
	readonly shown: number;
	readonly total: number;
}

export interface SearchAnswer {
	content: { type: "text"; text: string }[];
	details: SearchDetails;
	isError?: boolean;
}

export interface Naming {
	session: SessionReader;
	handleOf(entryId: string): string;
	/** What stands behind a handle so that it leads to this session. */
	readonly suffix: string;
	/** Where a document stands: turn, view, session. */
	placeOf(document: Document): string[];
	/** Takes out what is not to be shown, and leaves the lines their numbers; `name`: what the text is called. */
	clean?(text: string, name?: string): string;
}

/** Units of the line that matches, of the lines beside it, and of what a text is about. */
const LINE_UNITS = 240;
const NEIGHBOUR_UNITS = 120;
const SUBJECT_UNITS = 80;
/** Units in front of the match that a long line keeps. */
const LEAD_UNITS = 60;

export function refuseSearch(reason: string): SearchAnswer {
	return answerOf(`[zip_search: ${reason}.]`, { shown: 0, total: 0 }, true);
}

/** `found` of this session, and of past ones where they were searched too: by rank together, else this session first. */
export function searchAnswer(found: Found, request: SearchRequest, named: Naming, past?: PastFound): SearchAnswer {
	const { unit } = found;
	const total = found.total + (past?.total ?? 0);
	const { shown, texts } = page(found, request, named, past);
	const notes = notesOn(found, request);
	if (past) notes.push(pastNote(past));
	const details = { shown, total };
	// Of past sessions only so many are kept.
	const isAtEnd = past !== undefined && request.offset + shown >= MOST_PAST_HITS;
	if (isAtEnd) notes.push(`Of past sessions the first ${MOST_PAST_HITS} hits can be had: narrow the search`);
	if (shown === 0) {
		const none = isAtEnd
			? `${count(total, unit)}`
			: total > 0
				? `offset ${request.offset} is past the end: there are ${count(total, unit)}`
				: "no match";
		return answerOf(`[zip_search: ${[none, ...notes].join(". ")}.]`, details);
	}
	const from = request.offset + 1;
	const to = request.offset + shown;
	const head = `[zip_search: ${from === to ? from : `${from}-${to}`} of ${count(total, unit)}${unit === "text" ? ", best first" : ", newest first"}${notes.map((note) => `. ${note}`).join("")}. zip_recall with a handle gets the exact text.]`;
	const tail = to < total && !isAtEnd ? [`[Next: ${searchCall({ ...request, offset: to })}]`] : [];
	return answerOf([head, ...texts, ...tail].join("\n"), details);
}

/** Hits on a page, and how they are shown. */
interface Page {
	readonly shown: number;
	readonly texts: readonly string[];
}

function page(found: Found, request: SearchRequest, named: Naming, past: PastFound | undefined): Page {
	if (!past) return { shown: found.hits.length, texts: together(found.hits).map((hits) => shownHits(hits, named)) };
	// Both sides hold their hits from the first to the end of the page.
	const own = found.hits.map((hit) => ({ score: hit.score, text: () => shownHit(hit, named) }));
	const others = past.hits.map(({ score, text }) => ({ score, text: () => text }));
	const all = [...own, ...others].sort((one, other) => other.score - one.score);
	const texts = all.slice(request.offset, request.offset + request.limit).map(({ text }) => text());
	return { shown: texts.length, texts };
}

function pastNote({ searched, sessions }: PastFound): string {
	const late = sessions - searched;
	const left = late > 0 ? `; time was up before the ${late} oldest` : "";
	return `${searched} past ${searched === 1 ? "session" : "sessions"} searched${left}`;
}

function notesOn(found: Found, request: SearchRequest): string[] {
	const notes: string[] = [];
	if (found.isPlain) notes.push("The pattern is no expression that the search takes: searched as plain text");
	if (found.downTo !== undefined) {
		const { turns } = request;
		const range = `${turns?.first || 0}-${found.downTo}`;
		notes.push(
			`Time was up: searched from the newest down to turn ${found.downTo}; for the rest ask with turns "${range}"`,
		);
	}
	return notes;
}

type Neighbours = readonly [Hit, ...Hit[]];

/** Hits in lines whose neighbours they share, so that no line is shown twice. */
function together(hits: readonly Hit[]): Neighbours[] {
	const groups: [Hit, ...Hit[]][] = [];
	for (const hit of hits) {
		const group = groups.at(-1);
		const last = group?.at(-1);
		const isNear = last?.document.part === hit.document.part && hit.line.number - last.line.number <= 2;
		if (group && isNear && hit.line.number > last.line.number) group.push(hit);
		else groups.push([hit]);
	}
	return groups;
}

/** A hit as it is shown, in lines. */
export function shownHit(hit: Hit, named: Naming): string {
	return shownHits([hit], named);
}

function shownHits(hits: Neighbours, named: Naming): string {
	const [{ document, others }] = hits;
	const { entry, part, index } = document;
	const name = `${partName(named.handleOf(entry.id), index, partsOf(entry))}${named.suffix}`;
	const of = naming(part);
	const what = part.role === "tool" ? subjectOf(named.session, entry as SessionEntry) : of.what;
	const place = [...named.placeOf(document), oneLine(`${of.name} ${named.clean?.(what) ?? what}`, SUBJECT_UNITS)];
	const also = others.length > 0 ? `; also lines ${others.join(", ")}` : "";
	const numbers = hits.map(({ line }) => line.number).join(", ");
	const head = `${name} ${hits.length > 1 ? "lines" : "line"} ${numbers} · ${place.join(" · ")}${also}`;
	// Before anything is cut: half a key looks like none.
	const called = part.role === "call" ? part.label : "";
	const text = named.clean?.(part.text, called) ?? part.text;
	const rows = new Map<number, string>();
	for (const { line: matched } of hits) {
		const line =
			text === part.text
				? matched
				: relocated(text, matched, named.clean?.(part.text.slice(0, matched.at), called) ?? "");
		const { number } = line;
		const before = lineBefore(text, line.start);
		if (before !== undefined && !rows.has(number - 1)) {
			rows.set(number - 1, row(" ", number - 1, oneLine(before, NEIGHBOUR_UNITS)));
		}
		rows.set(number, row(">", number, around(text, line)));
		const after = lineAfter(text, line.end);
		if (after !== undefined) rows.set(number + 1, row(" ", number + 1, oneLine(after, NEIGHBOUR_UNITS)));
	}
	return [head, ...rows.values()].join("\n");
}

/** The same line in a text of as many lines; `lead` is what stands in front of the match there. */
function relocated(text: string, { number }: Hit["line"], lead: string): Hit["line"] {
	let start = 0;
	for (let line = 1; line < number; line += 1) start = text.indexOf("\n", start) + 1;
	const feed = text.indexOf("\n", start);
	const end = feed < 0 ? text.length : feed;
	const at = start + lead.length - 1 - lead.lastIndexOf("\n");
	return { number, start, end, at: Math.min(at, end) };
}

function row(mark: string, number: number, text: string): string {
	return `${mark} ${number}| ${text}`;
}

/** The line, or as much of it as stands around the match. */
function around(text: string, { start, end, at }: Hit["line"]): string {
	if (end - start <= LINE_UNITS) return oneLine(text.slice(start, end), LINE_UNITS);
	const from = Math.max(start, Math.min(at - LEAD_UNITS, end - LINE_UNITS));
	return `${from > start ? "…" : ""}${oneLine(text.slice(from, Math.min(end, from + LINE_UNITS)), LINE_UNITS)}${from + LINE_UNITS < end ? "…" : ""}`;
}

function lineBefore(text: string, start: number): string | undefined {
	if (start === 0) return undefined;
	return text.slice(start < 2 ? 0 : text.lastIndexOf("\n", start - 2) + 1, start - 1);
}

function lineAfter(text: string, end: number): string | undefined {
	if (end + 1 >= text.length) return undefined;
	const feed = text.indexOf("\n", end + 1);
	return text.slice(end + 1, feed < 0 ? text.length : feed);
}

function count(number: number, unit: string): string {
	return `${number} ${number === 1 ? unit : `${unit}s`}`;
}

function answerOf(text: string, details: SearchDetails, isError?: true): SearchAnswer {
	return { content: [{ type: "text", text }], details, ...(isError ? { isError } : {}) };
}
