/**
 * The fourth cache mark: where it makes the longest written prefix readable again.
 *
 * A provider with an explicit cache looks for an entry at a mark and a limited number of blocks in front of it. Pi marks
 * the tools, the system prompt and the end of the conversation. Behind an edit far back, and after a turn of many
 * parallel calls, none of these finds what was written before, though it is there; a mark at the last such place does.
 *
 * An edited request writes much anew, and only where it ends is there an entry. The next edit changes what stands behind
 * this one, so another mark goes to the end of what was changed, for the next edited request to be read up to there. For
 * both there is room once the tools' mark is gone, which the system's covers.
 *
 * What goes into a body follows from that body and from what providers have answered, which changes at `message_end`
 * alone: a request that is sent again, as Pi's cache warmer does, gets the same mark. No clock is looked at: a mark on an
 * entry that has expired costs nothing.
 */

import type { JsonObject } from "./json.ts";
import { blocksBetween, type Conversation, conversationOf, shareUpTo, withRoom } from "./marks.ts";

/** Blocks behind an entry at which a mark surely finds it: "about 20", less one for either end of the count. */
const SURELY_FOUND = 18;
/** Marks that providers take in one request. */
const MOST_MARKS = 4;

/** The last request that a model has answered. */
interface Answered {
	readonly messages: readonly number[];
	/** Messages up to whose end this very prefix was written, ascending. */
	readonly written: readonly number[];
	/** Where our marks stood. */
	readonly marks: readonly number[];
}

interface Sent {
	readonly conversation: Conversation;
	/** What was written before, of the prefix that this request has. */
	readonly older: readonly number[];
	readonly marks: readonly number[];
}

/** What a provider reports of a request, in tokens. */
export interface Reported {
	readonly input: number;
	readonly cacheRead: number;
	readonly cacheWrite: number;
}

export class Breakpoints {
	/** By name of the model: each has a cache of its own. */
	readonly #answered = new Map<string, Answered>();
	#sent: Sent | undefined;

	/** The body that should go out instead, or undefined where `body` should. */
	place(body: unknown): JsonObject | undefined {
		this.#sent = undefined;
		const conversation = conversationOf(body);
		if (conversation === undefined) return undefined;
		const { messages, model } = conversation;
		const before = this.#answered.get(model);
		const common = before ? commonLength(before.messages, messages) : 0;
		const older = (before?.written ?? []).filter((position) => position < common);
		const isSame = before !== undefined && common === messages.length && common === before.messages.length;
		// A process that has seen no answer yet takes it that the conversation was answered just before.
		const entry = this.#answered.size > 0 ? older.at(-1) : conversation.answered;
		const end = before && lastDifference(before.messages, messages, common);
		const wanted = isSame ? before.marks : [readFrom(conversation, entry), writtenTo(conversation, end)];
		const marked = withMarks(body as JsonObject, conversation, wanted);
		this.#sent = { conversation, older, marks: marked.positions };
		return marked.positions.length > 0 ? marked.body : undefined;
	}

	/** A request was answered. */
	answered(reported: Reported): void {
		const sent = this.#sent;
		const prompt = reported.input + reported.cacheRead + reported.cacheWrite;
		// Without a report nobody knows whether the provider has taken the request in.
		if (sent === undefined || !(prompt > 0)) return;
		const { conversation, older, marks } = sent;
		const isLost = reported.cacheRead < (prompt * shareUpTo(conversation, older.at(-1) ?? -1)) / 2;
		const own = conversation.marks.filter(({ isLast }) => isLast).map(({ message }) => message);
		const written = new Set([...(isLost ? [] : older), ...marks, ...own]);
		this.#answered.set(conversation.model, {
			messages: conversation.messages,
			written: [...written].sort((a, b) => a - b),
			marks,
		});
	}
}

/** `entry` is the last place that was written; undefined or -1 where none is known to be. */
function readFrom(conversation: Conversation, entry = -1): number | undefined {
	const next = conversation.marks.find(({ message }) => message >= entry)?.message;
	if (entry < 0 || next === undefined || blocksBetween(conversation, entry, next) <= SURELY_FOUND) return undefined;
	return entry;
}

/** `end` is the last message that was changed; undefined where none was. */
function writtenTo({ marks }: Conversation, end: number | undefined): number | undefined {
	return end !== undefined && marks.some(({ message }) => message > end) ? end : undefined;
}

/** The first of `wanted` come first where there is no room for all; those that may not stand are left out. */
function withMarks(body: JsonObject, conversation: Conversation, wanted: readonly (number | undefined)[]) {
	const missing = new Set(wanted.filter((position) => position !== undefined));
	if (conversation.marksInAll > MOST_MARKS) missing.clear();
	const lack = conversation.marksInAll + missing.size - MOST_MARKS;
	const marked = { body: lack > 0 ? withRoom(body, lack) : body, positions: [] as number[] };
	for (const position of missing) {
		const now = conversationOf(marked.body);
		if (now === undefined || now.marksInAll >= MOST_MARKS) break;
		const next = now.mark(position);
		if (next === undefined) continue;
		marked.body = next;
		marked.positions.push(position);
	}
	return marked;
}

/** The last message that reads otherwise than before; undefined where what was there goes on as it was. */
function lastDifference(before: readonly number[], now: readonly number[], common: number): number | undefined {
	for (let index = Math.min(before.length, now.length) - 1; index >= common; index -= 1) {
		if (before[index] !== now[index]) return index;
	}
	return undefined;
}

function commonLength(a: readonly number[], b: readonly number[]): number {
	const most = Math.min(a.length, b.length);
	let length = 0;
	while (length < most && a[length] === b[length]) length += 1;
	return length;
}
