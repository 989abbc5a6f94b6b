/**
 * Builds the answer to a recall: for each original a block that says what it is, and a block that is the page of it and
 * nothing else; behind them, how to go on.
 *
 * The originals asked for share one page, as if their selections stood one behind another. The module decides the spans
 * of a page; here the original string is sliced by them, so lone surrogates come back as they are. The fixed parts hold
 * no clock, counter or locale.
 */

import { setImmediate as othersTurn } from "node:timers/promises";
import type { ImageBlock, TextBlock } from "../content.ts";
import type { Usage } from "../host.ts";
import { type Blocks, cut } from "./blocks.ts";
import { imageNames } from "./image.ts";
import { callFor, oneLine, type RecallRequest, rangeText } from "./request.ts";

/** What a handle leads to. */
export type Original =
	/**
	 * `toolName`: the tool, or what it is instead; `what`: the command, path or pattern of its call, if known; `note`: what
	 * else is to be said of it; `blocks`: where the text is several, or images stand in it.
	 */
	| { kind: "found"; entryId: string; toolName: string; what: string; text: string; note?: string; blocks?: Blocks }
	/** The entry has several parts, which are asked for one by one. */
	| { kind: "several"; names: readonly string[] }
	/** The handle is right, but the session no longer has the entry. */
	| { kind: "lost" }
	/** `nearest`: handles that look like it with what they are, best first. */
	| { kind: "unknown"; nearest: readonly string[]; reason?: string };

type Found = Extract<Original, { kind: "found" }> & { handle: string };

/** The module's pager: see `recallPage` there. Pairs are flat, all positions are UTF-16 units. */
export type Pager = (
	text: string,
	request: { firstLine?: number; lastLine?: number; grep?: string; offset: number; limit: number },
) => Page;

export interface Page {
	spans: number[];
	lines: number[];
	next?: number;
	selectedUnits: number;
	selectedLines: number;
	textUnits: number;
	textLines: number;
	literal: boolean;
}

/** What a session keeps of an answer beside its content. It holds no content itself. */
export interface RecallDetails {
	recalled: RecalledPage[];
	unknown: string[];
	lost: string[];
	/** Of a question: quotes that stand in the originals, and those that were dropped. */
	read?: { quotes: number; dropped: number };
}

export interface RecalledPage {
	handle: string;
	entryId: string;
	/** The page in the selection, and the selection's size, in UTF-16 units. */
	from: number;
	to: number;
	of: number;
}

export interface Answer {
	content: (TextBlock | ImageBlock)[];
	details: RecallDetails;
	isError?: boolean;
	/** Of the model that read the originals. */
	usage?: Usage;
}

/** Units of the command or path, and of the pattern, in the block beside an original. */
const WHAT_UNITS = 120;
const PATTERN_UNITS = 80;
/** Handles without an output that are answered for one by one. */
const MOST_NOTES = 5;
/** Runs of line numbers named before they are cut short. */
const RUNS_SHOWN = 40;

export function refuse(reason: string): Answer {
	return {
		content: [block(`[zip_recall: ${reason}.]`)],
		details: { recalled: [], unknown: [], lost: [] },
		isError: true,
	};
}

export type Find = (handle: string) => Original | Promise<Original>;

export async function answer(request: RecallRequest, find: Find, pager: Pager): Promise<Answer> {
	const content: Answer["content"] = [];
	const details: RecallDetails = { recalled: [], unknown: [], lost: [] };
	const notes: string[] = [];
	const found: Found[] = [];
	for (const { handle, original } of await findAll(request.handles, find)) {
		if (original.kind === "found") found.push({ ...original, handle });
		else {
			details[original.kind].push(handle);
			if (notes.length < MOST_NOTES) {
				notes.push(original.kind === "lost" ? lost(handle) : unknown(handle, original.nearest, original.reason));
			}
		}
	}
	const unsaid = details.unknown.length + details.lost.length - notes.length;
	if (unsaid > 0) notes.push(`Nor is there an output for ${unsaid} more of the handles`);

	let skip = request.offset;
	let room = request.limit;
	let passed = 0;
	let rest: RecallRequest | undefined;
	for (const [index, original] of found.entries()) {
		// One unit might hold half a surrogate pair only; that is worth doing where nothing else makes progress.
		if (room < (details.recalled.length > 0 ? 2 : 1)) {
			rest = { ...request, handles: handlesOf(found.slice(index)), offset: 0 };
			break;
		}
		const { grep, range } = request;
		const page = pager(original.text, {
			firstLine: range?.first,
			lastLine: range?.last,
			grep,
			offset: skip,
			limit: room,
		});
		if (skip > 0 && skip >= page.selectedUnits) {
			skip -= page.selectedUnits;
			passed += page.selectedUnits;
			continue;
		}
		const text = slice(original.text, page.spans);
		const part = {
			handle: original.handle,
			entryId: original.entryId,
			from: skip,
			to: skip + text.length,
			of: page.selectedUnits,
		};
		content.push(block(describe(original, request, page, part)));
		const isWhole = grep === undefined && range === undefined;
		const parts = original.blocks ? cut(original.text, page.spans, original.blocks, isWhole ? part : undefined) : [];
		if (original.blocks) content.push(...parts);
		else if (text !== "") content.push(block(text));
		if (text !== "" || parts.length > 0) details.recalled.push(part);
		room -= text.length;
		skip = 0;
		if (page.next !== undefined) {
			rest = { ...request, handles: handlesOf(found.slice(index)), offset: page.next };
			notes.unshift(`${page.selectedUnits - page.next} characters of ${original.handle} are left`);
			break;
		}
	}

	const shown = content.length > 0;
	if (!shown && found.length > 0) {
		notes.unshift(`offset ${request.offset} is past the end: there are ${passed} characters${selectionOf(request)}`);
	}
	if (rest) {
		const others = rest.handles.slice(rest.offset > 0 ? 1 : 0);
		if (others.length > 0) notes.push(`Not on this page: ${others.join(", ")}`);
		notes.push(`Next: ${callFor(rest)}`);
	}
	if (notes.length > 0) content.push(block(`[zip_recall: ${notes.join(". ")}]`));
	return shown ? { content, details } : { content, details, isError: true };
}

type One = Exclude<Original, { kind: "several" }>;

/** What the handles lead to; one that leads to several parts gives way to those. Between two of them others get their turn. */
export async function findAll(handles: readonly string[], find: Find): Promise<{ handle: string; original: One }[]> {
	const all: { handle: string; original: One }[] = [];
	for (const [index, handle] of handles.entries()) {
		if (index > 0) await othersTurn();
		const original = await find(handle);
		if (original.kind !== "several") all.push({ handle, original });
		else {
			for (const name of original.names) {
				const part = await find(name);
				if (part.kind !== "several") all.push({ handle: name, original: part });
			}
		}
	}
	return all;
}

/** The block beside an original. */
function describe(original: Found, request: RecallRequest, page: Page, part: RecalledPage): string {
	const what = oneLine(original.what, WHAT_UNITS);
	const noted = original.note === undefined ? [] : [original.note];
	const facts = [`${original.handle}: ${original.toolName}${what && ` ${what}`}`];
	if (page.literal)
		facts.push(`grep ${quoted(request.grep)} is no expression that the search takes: searched as plain text`);
	if (original.blocks?.images.length)
		facts.push(`With ${imageNames(original.blocks.images.map(({ image }) => image))}`);
	if (page.textUnits === 0) facts.push(original.blocks?.images.length ? "It has no text" : "The original is empty");
	else if (page.selectedUnits === 0) {
		const why =
			request.grep === undefined ? `holds no line${selectionOf(request)}` : `has no match${selectionOf(request)}`;
		facts.push(`The original ${why}; it has ${lines(page.textLines)}`);
	} else {
		const isWhole = request.grep === undefined && request.range === undefined;
		const selected = isWhole ? "" : `, ${page.selectedLines} selected${selectionOf(request)}`;
		facts.push(`${runs(page.lines)} of ${lines(page.textLines)}${selected}`);
		facts.push(`Characters ${part.from} to ${part.to} of ${part.of}${isWhole ? "" : " selected"}`);
	}
	return `[zip_recall ${[...facts, ...noted].join(". ")}.]`;
}

function selectionOf({ grep, range }: RecallRequest): string {
	const inRange = range ? ` in lines ${rangeText(range)}` : "";
	return grep === undefined ? inRange : ` for grep ${quoted(grep)}${inRange}`;
}

/** A pattern as it is shown; the call that goes on has all of it. */
function quoted(pattern = ""): string {
	return oneLine(JSON.stringify(pattern), PATTERN_UNITS);
}

/** `Lines 3, 17, 40-44`. */
function runs(flat: readonly number[]): string {
	const all: string[] = [];
	for (let at = 0; at < flat.length && all.length < RUNS_SHOWN; at += 2) {
		const [first, last] = [flat[at], flat[at + 1]];
		all.push(first === last ? `${first}` : `${first}-${last}`);
	}
	const cut = flat.length / 2 > all.length ? ` … ${flat.at(-1)}` : "";
	return `${flat.length === 2 && flat[0] === flat[1] ? "Line" : "Lines"} ${all.join(", ")}${cut}`;
}

function lines(count: number): string {
	return count === 1 ? "1 line" : `${count} lines`;
}

function lost(handle: string): string {
	return `The entry behind ${handle} is no longer in the session, so its output cannot be recalled: run the tool again`;
}

function unknown(handle: string, nearest: readonly string[], reason?: string): string {
	if (reason !== undefined) return `${oneLine(handle, 40)}: ${reason}`;
	const names = nearest.length > 0 ? `nearest: ${nearest.join(", ")}` : "there is none like it";
	return `No output has the handle ${oneLine(handle, 40)}; ${names}`;
}

function handlesOf(originals: readonly Found[]): string[] {
	return originals.map((original) => original.handle);
}

/** The parts of `text`, joined. */
function slice(text: string, spans: readonly number[]): string {
	const parts: string[] = [];
	for (let at = 0; at < spans.length; at += 2) parts.push(text.slice(spans[at], spans[at + 1]));
	return parts.join("");
}

function block(text: string): { type: "text"; text: string } {
	return { type: "text", text };
}
