/**
 * The request guard of a session: the repair of payloads, spared what the request before has shown.
 *
 * A request holds the messages of the one before and a few more, and to look at each of ten thousand takes longer than
 * all else. So after a request in which nothing had lost its call, the next one is looked at only behind the common
 * beginning, which is told by samples: a message that went or came moves all behind it. What samples cannot show is a
 * message replaced in place; so the first request of each run, and the one after a failure, is looked at whole.
 */

import { type Conversation, conversationIn, repair } from "../payload.ts";
import { isObject, type JsonObject } from "./json.ts";
import type { FindOrphans } from "./outline.ts";

/** Messages compared with the request before. */
const SAMPLES = 64;
/** The last messages of a request are looked at again: cache marks and merged messages change them. */
const UNSETTLED = 2;
/** Messages before the end of the last request at which the calls of the first new results are looked for. */
const REACH = 16;

interface Known {
	family: Conversation["family"];
	length: number;
	marks: readonly string[];
}

export class PayloadGuard {
	readonly #findOrphans: FindOrphans;
	#known: Known | undefined;

	constructor(findOrphans: FindOrphans) {
		this.#findOrphans = findOrphans;
	}

	/** Makes the next request be looked at whole. */
	forget(): void {
		this.#known = undefined;
	}

	/** Returns the body that should go out instead, or `undefined` where `payload` should. */
	repair(payload: unknown): object | undefined {
		if (!isObject(payload)) return undefined;
		const conversation = conversationIn(payload);
		if (conversation === undefined) return undefined;
		const { family, list } = conversation;
		const isProven = this.#known !== undefined && continues(list, family, this.#known);
		this.forget();
		const repaired = isProven ? undefined : repair(payload, conversation, this.#findOrphans);
		if (!repaired) this.#known = { family, length: list.length, marks: marksOf(list, list.length) };
		return repaired;
	}
}

/** Whether the conversation begins as the known one, and no result behind that can have lost its call. */
function continues(list: readonly unknown[], family: Conversation["family"], known: Known): boolean {
	if (known.family !== family || list.length < known.length) return false;
	const marks = marksOf(list, known.length);
	if (!marks.every((mark, sample) => mark === known.marks[sample])) return false;
	for (let back = UNSETTLED; back <= Math.min(REACH, known.length); back += 1) {
		if (family.outline(list.slice(known.length - back)) === undefined) return true;
	}
	return false;
}

/** Marks of messages spread over the first `length`. */
function marksOf(list: readonly unknown[], length: number): string[] {
	const settled = Math.max(0, length - UNSETTLED);
	const samples = Math.min(SAMPLES, settled);
	return Array.from({ length: samples }, (_, sample) =>
		markOf(list[settled - 1 - Math.floor((sample * settled) / samples)]),
	);
}

/** What tells a message from others: who speaks, and the id of its last call or result, or else the length of its text. */
function markOf(message: unknown): string {
	if (!isObject(message)) return typeof message;
	const { role, type, call_id, tool_call_id, toolCallId, tool_calls, toolCalls, content, parts } = message;
	const blocks = [tool_calls, toolCalls, parts, content].find(Array.isArray) as unknown[] | undefined;
	const last = blocks?.at(-1);
	const id = call_id ?? tool_call_id ?? toolCallId ?? (isObject(last) ? idOf(last) : undefined);
	return `${role} ${type} ${blocks?.length} ${id ?? (typeof content === "string" ? content.length : "")}`;
}

function idOf(block: JsonObject): unknown {
	const { id, tool_use_id, toolUse, toolResult, functionCall, functionResponse, text } = block;
	const nested = [toolUse, toolResult, functionCall, functionResponse].find(isObject);
	if (nested) return nested.toolUseId ?? nested.id ?? nested.name;
	return id ?? tool_use_id ?? (typeof text === "string" ? text.length : undefined);
}
