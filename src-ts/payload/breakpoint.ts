/**
 * The fourth cache mark: where it makes the longest written prefix readable again.
 *
 * A provider with an explicit cache looks for an entry at a mark and a limited number of blocks in front of it. Pi marks
 * the tools, the system prompt and the end of the conversation. Behind an edit far back, and after a turn of many
 * parallel calls, none of these finds what was written before, though it is there; a mark at the last such place does.
 *
 * What goes into a body follows from that body and from what providers have answered, which changes at `message_end`
 * alone: a request that is sent again, as Pi's cache warmer does, gets the same mark. No clock is looked at: a mark on an
 * entry that has expired costs nothing.
 */

import type { JsonObject } from "./json.ts";
import { blocksBetween, type Conversation, conversationOf, shareUpTo, withoutToolMark } from "./marks.ts";

/** Blocks behind an entry at which a mark surely finds it: "about 20", less one for either end of the count. */
const SURELY_FOUND = 18;
/** Marks that providers take in one request. */
const MOST_MARKS = 4;

/** The last request that a model has answered. */
interface Answered {
	readonly messages: readonly number[];
	/** Messages up to whose end this very prefix was written, ascending. */
	readonly written: readonly number[];
	/** Where our mark stood. */
	readonly mark: number | undefined;
}

interface Sent {
	readonly conversation: Conversation;
	/** What was written before, of the prefix that this request has. */
	readonly older: readonly number[];
	readonly mark: number | undefined;
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
		const wanted = isSame ? before.mark : wantedAt(conversation, entry);
		const marked = wanted === undefined ? undefined : withMark(body as JsonObject, conversation, wanted);
		this.#sent = { conversation, older, mark: marked && wanted };
		return marked;
	}

	/** A request was answered. */
	answered(reported: Reported): void {
		const sent = this.#sent;
		const prompt = reported.input + reported.cacheRead + reported.cacheWrite;
		// Without a report nobody knows whether the provider has taken the request in.
		if (sent === undefined || !(prompt > 0)) return;
		const { conversation, older, mark } = sent;
		const isLost = reported.cacheRead < (prompt * shareUpTo(conversation, older.at(-1) ?? -1)) / 2;
		const own = conversation.marks.filter(({ isLast }) => isLast).map(({ message }) => message);
		const written = new Set([...(isLost ? [] : older), ...(mark === undefined ? [] : [mark]), ...own]);
		this.#answered.set(conversation.model, {
			messages: conversation.messages,
			written: [...written].sort((a, b) => a - b),
			mark,
		});
	}
}

/** `entry` is the last place that was written; undefined or -1 where none is known to be. */
function wantedAt(conversation: Conversation, entry = -1): number | undefined {
	const next = conversation.marks.find(({ message }) => message >= entry)?.message;
	if (entry < 0 || next === undefined || blocksBetween(conversation, entry, next) <= SURELY_FOUND) return undefined;
	return entry;
}

function withMark(body: JsonObject, conversation: Conversation, position: number): JsonObject | undefined {
	if (conversation.marksInAll < MOST_MARKS) return conversation.mark(position);
	const roomy = conversation.marksInAll === MOST_MARKS ? withoutToolMark(body) : undefined;
	return roomy && conversationOf(roomy)?.mark(position);
}

function commonLength(a: readonly number[], b: readonly number[]): number {
	const most = Math.min(a.length, b.length);
	let length = 0;
	while (length < most && a[length] === b[length]) length += 1;
	return length;
}
