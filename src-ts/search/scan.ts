/**
 * Looks through the documents of a session in slices, so that Pi's event loop is never held for long: by rank for a
 * query, by line for a pattern. A deadline and a signal end it early, and the answer says how far it came.
 */

import type { Document } from "./documents.ts";
import { escaped, readQuery } from "./query.ts";
import { compareRanked, type Ranked, Ranking, type Statistics } from "./rank.ts";
import type { SearchRequest } from "./request.ts";
import type { WordIndex } from "./word-index.ts";

/** A hit: the lines of a document that match, best first. `start` and `end` are UTF-16 units, without the line feed. */
export interface Hit {
	readonly document: Document;
	/** Against that of other hits of the query; nought for a pattern. */
	readonly score: number;
	readonly line: { number: number; start: number; end: number; at: number };
	/** Numbers of the document's other lines that match, in order. */
	readonly others: readonly number[];
}

export interface Found {
	readonly hits: readonly Hit[];
	/** Hits there are; where the search ended early, those seen. */
	readonly total: number;
	/** What `total` counts. */
	readonly unit: "text" | "line";
	/** The pattern was searched as plain text. */
	readonly isPlain: boolean;
	/** The turn down to which was searched, newest first, where time was up; undefined where all was searched. */
	readonly downTo?: number;
}

/** The module's pattern: see `Pattern` of the core. */
export interface LinePattern {
	readonly isPlain: boolean;
	/** Lower-case text that each matching text holds. */
	readonly literal: string;
	/** Number, start and end (its terminator included) of each line that matches. */
	lines(text: string): Uint32Array;
	free(): void;
}

export interface Scanning {
	pattern(pattern: string, caseSensitive: boolean): LinePattern;
	/** Milliseconds on any clock. */
	now(): number;
	/** Lets the event loop do its other work. */
	pause(): Promise<void>;
	signal?: AbortSignal | undefined;
	/** Of the texts of other sessions. */
	statistics?: Statistics;
	/** What is known of words in texts; what it does not know is looked through. */
	words?: WordIndex | undefined;
	/** A rank below which nothing is asked for. */
	least?: number | undefined;
}

/** Milliseconds of work after which the event loop gets a turn; one text more may come on top. */
const SLICE = 12;
/** Milliseconds that a pattern may take, reading the texts out of the session included; the rest of a second is for the answer. */
const PATTERN_TIME = 900;
/** Line numbers named beside a hit. */
const OTHERS = 6;

export class Stopped extends Error {
	override name = "Stopped";
}

export async function scan(documents: Iterable<Document>, request: SearchRequest, how: Scanning): Promise<Found> {
	const started = how.now();
	const all = await collect(documents, how);
	return request.query === undefined ? byPattern(all, request, how, started) : byRank(all, request, how);
}

/** Calls `each` for all, in slices; stops where it answers false. */
async function inSlices<T>(all: Iterable<T>, how: Scanning, each: (one: T) => boolean | void): Promise<void> {
	let started = how.now();
	for (const one of all) {
		if (each(one) === false) return;
		if (how.now() - started < SLICE) continue;
		await how.pause();
		if (how.signal?.aborted) throw new Stopped("stopped");
		started = how.now();
	}
}

/** What the steps come to, in slices. */
async function drained<T>(steps: Generator<void, T>, how: Scanning): Promise<T> {
	let started = how.now();
	for (;;) {
		const { done, value } = steps.next();
		if (done) return value;
		if (how.now() - started < SLICE) continue;
		await how.pause();
		if (how.signal?.aborted) throw new Stopped("stopped");
		started = how.now();
	}
}

/** A session's texts are read out of its entries once; later searches find them. */
async function collect(documents: Iterable<Document>, how: Scanning): Promise<Document[]> {
	const all: Document[] = [];
	await inSlices(documents, how, (document) => {
		all.push(document);
	});
	return all;
}

async function byRank(all: readonly Document[], request: SearchRequest, how: Scanning): Promise<Found> {
	const { query = "", offset, limit } = request;
	const terms = readQuery(query);
	const ranking = new Ranking<Document>(terms, how.statistics);
	const { words } = how;
	const counted = words && (await drained(words.look(terms), how));
	await inSlices(all, how, (document) => {
		const { part, hasFailed } = document;
		const place = counted && words?.place(part);
		if (counted === undefined || place === undefined || counted.isOpen(place)) {
			ranking.take(document, part.text, hasFailed);
		} else ranking.takeCounted(document, part.text, hasFailed, counted.counts(place));
	});
	const wanted = offset + limit;
	const ranked: Ranked<Document>[] = [];
	/** Ranks of the best, the least first: what cannot come among them need not be read line by line. */
	const best: number[] = [];
	let least = how.least ?? Number.NEGATIVE_INFINITY;
	await inSlices(ranking.pool(wanted), how, (one) => {
		if (ranking.most(one) < least) return;
		const line = ranking.byLines(one);
		ranked.push(line);
		best.splice(placeIn(best, line.score), 0, line.score);
		if (best.length > wanted) best.shift();
		if (best.length === wanted) least = Math.max(least, best[0]!);
	});
	const page = ranked.sort(compareRanked).slice(offset, wanted);
	const hits = page.map(({ document, score, lines }): Hit => {
		// A failed result may be found by being one.
		const [line = firstLine(document.part.text), ...more] = lines;
		const others = more.slice(0, OTHERS).map(({ number }) => number);
		return { document, score, line, others: others.sort((one, other) => one - other) };
	});
	return { hits, total: ranking.matched, unit: "text", isPlain: false };
}

async function byPattern(
	all: readonly Document[],
	request: SearchRequest,
	how: Scanning,
	started: number,
): Promise<Found> {
	const { pattern: written = "", caseSensitive, offset, limit } = request;
	const pattern = how.pattern(written, caseSensitive);
	try {
		for (;;) {
			const wasPlain = pattern.isPlain;
			// V8 looks for a literal without a copy of the text in lower case.
			const mayMatch = pattern.literal === "" ? undefined : new RegExp(escaped(pattern.literal), "i");
			const hits: Hit[] = [];
			let total = 0;
			let downTo: number | undefined;
			// Newest first: what is asked for is more often recent, and time may end before the texts do.
			await inSlices(backwards(all), how, (document) => {
				if (how.now() - started > PATTERN_TIME) {
					downTo = document.turn;
					return false;
				}
				const { text } = document.part;
				if (mayMatch?.test(text) === false) return true;
				const found = pattern.lines(text);
				for (let at = 0; at < found.length; at += 3) {
					if (total >= offset && hits.length < limit) hits.push(lineHit(document, found, at));
					total += 1;
				}
				// Given up as an expression: all of it is searched anew as plain text.
				return pattern.isPlain === wasPlain;
			});
			if (pattern.isPlain === wasPlain) return { hits, total, unit: "line", isPlain: wasPlain, downTo };
		}
	} finally {
		pattern.free();
	}
}

function placeIn(sorted: readonly number[], value: number): number {
	const at = sorted.findIndex((one) => one > value);
	return at < 0 ? sorted.length : at;
}

function lineHit(document: Document, found: Uint32Array, at: number): Hit {
	const [number = 0, start = 0, end = 0] = found.subarray(at, at + 3);
	const { text } = document.part;
	const bare = text.charCodeAt(end - 1) === 10 && end > start ? end - 1 : end;
	return { document, score: 0, line: { number, start, end: bare, at: start }, others: [] };
}

function firstLine(text: string): Hit["line"] {
	const feed = text.indexOf("\n");
	return { number: 1, start: 0, end: feed < 0 ? text.length : feed, at: 0 };
}

function* backwards<T>(all: readonly T[]): Generator<T> {
	for (let at = all.length - 1; at >= 0; at -= 1) yield all[at]!;
}
