/**
 * The last look at an outgoing request: results that lost their call become plain text, since providers refuse them.
 *
 * Decides from the request's body alone, by its structure: the event names neither provider nor model. A body without
 * such a result, or of a shape that is not one of the five families, is left alone. Nothing of the body is ever
 * changed in place: what must differ is copied, and the rest is shared. Calls that lost their result are not looked at,
 * because Pi answers those itself.
 */

import { anthropic } from "./payload/anthropic.ts";
import { bedrock } from "./payload/bedrock.ts";
import { chat } from "./payload/chat.ts";
import { gemini } from "./payload/gemini.ts";
import { isObject, type JsonObject } from "./payload/json.ts";
import type { Family, FindOrphans } from "./payload/outline.ts";
import { responses } from "./payload/responses.ts";

export type { FindOrphans } from "./payload/outline.ts";

/** Returns the body that should go out instead, or `undefined` where `payload` should. */
export function repairPayload(payload: unknown, findOrphans: FindOrphans): object | undefined {
	if (!isObject(payload)) return undefined;
	const found = familyOf(payload);
	if (found === undefined) return undefined;
	const { family, key, list } = found;
	const orphans = family.outline(list)?.orphans(findOrphans);
	if (orphans === undefined) return undefined;
	return { ...payload, [key]: family.rewrite(list, orphans) };
}

interface Found {
	family: Family;
	/** Where the body holds its conversation. */
	key: string;
	list: readonly unknown[];
}

function familyOf(body: JsonObject): Found | undefined {
	const { messages, input, contents } = body;
	if ([messages, input, contents].filter(Array.isArray).length !== 1) return undefined;
	if (Array.isArray(contents)) return { family: gemini, key: "contents", list: contents };
	if (Array.isArray(input)) return isWhole(body, input) ? { family: responses, key: "input", list: input } : undefined;
	if (!Array.isArray(messages)) return undefined;
	const family = familyOfMessages(messages);
	return family && { family, key: "messages", list: messages };
}

/** A Responses body may leave a part of the conversation with the provider; what stands there cannot be judged here. */
function isWhole({ previous_response_id, conversation }: JsonObject, input: readonly unknown[]): boolean {
	const refers = input.some((item) => isObject(item) && item.type === "item_reference");
	return !previous_response_id && !conversation && !refers;
}

/**
 * Three families name their conversation alike: the first call or result tells. Where there is none, nothing can have
 * lost its call.
 */
function familyOfMessages(messages: readonly unknown[]): Family | undefined {
	for (const message of messages) {
		if (!isObject(message)) return undefined;
		if (message.role === "tool" || Array.isArray(message.tool_calls ?? message.toolCalls)) return chat;
		if (!Array.isArray(message.content)) continue;
		for (const block of message.content) {
			if (!isObject(block)) return undefined;
			if (block.type === "tool_use" || block.type === "tool_result") return anthropic;
			if (isObject(block.toolUse) || isObject(block.toolResult)) return bedrock;
		}
	}
	return undefined;
}
