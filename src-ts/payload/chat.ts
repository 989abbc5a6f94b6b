/**
 * OpenAI chat completions, and Mistral, which writes the same names in another case until the request is sent.
 *
 * The calls of an assistant message are answered by the messages of role `tool` behind it.
 */

import { isObject, type JsonObject } from "./json.ts";
import { type Family, labelOf, Outline } from "./outline.ts";
import { rewriteRuns } from "./runs.ts";
import { windowsAround } from "./windows.ts";

const OTHER_ROLES = new Set<unknown>(["user", "system", "developer"]);

export const chat: Family = {
	outline,
	rewrite: (list, orphans) => rewriteRuns({ isResult, toContent }, list, orphans, bridgeOf(list)),
};

function outline(list: readonly unknown[]): Outline | undefined {
	const messages = list as readonly JsonObject[];
	const suspects = suspectsIn(messages);
	if (suspects === undefined || suspects.length === 0) return undefined;
	const found = new Outline();
	for (const [start, end] of windowsAround(messages, suspects, speaks)) {
		found.boundary();
		for (let index = start; index < end; index += 1) {
			const message = messages[index]!;
			for (const call of callsOf(message)) found.call(call?.id);
			if (isResult(message)) found.result(index, 0, idOfResult(message));
		}
	}
	return found;
}

/**
 * Results that could be orphans; `undefined` where a message is not of this family. Not suspected are the first results
 * behind a message of the model if they have, in the same order, the ids of its first calls.
 */
function suspectsIn(messages: readonly JsonObject[]): number[] | undefined {
	const suspects: number[] = [];
	let calls: readonly JsonObject[] = NO_CALLS;
	let answered = 0;
	for (let index = 0; index < messages.length; index += 1) {
		const message = messages[index];
		const role = message?.role;
		if (message === undefined) continue;
		if (role === "assistant") {
			calls = callsOf(message);
			answered = 0;
		} else if (role === "tool") {
			const id = calls[answered]?.id;
			if (typeof id === "string" && id === idOfResult(message)) answered += 1;
			else suspects.push(index);
		} else if (!OTHER_ROLES.has(role)) return undefined;
	}
	return suspects;
}

function speaks({ role }: JsonObject): boolean | undefined {
	return role === "system" || role === "developer" ? undefined : role === "assistant";
}

const NO_CALLS: JsonObject[] = [];

function callsOf(message: JsonObject): JsonObject[] {
	const calls = message.tool_calls ?? message.toolCalls;
	return Array.isArray(calls) ? calls : NO_CALLS;
}

function isResult(message: JsonObject): boolean {
	return message.role === "tool";
}

function idOfResult(message: JsonObject): unknown {
	return message.tool_call_id ?? message.toolCallId;
}

function toContent({ content }: JsonObject): JsonObject[] {
	const parts = Array.isArray(content) ? content : [{ type: "text", text: content ?? "" }];
	return [{ type: "text", text: labelOf(false) }, ...parts.filter((part) => part?.text !== "")];
}

/**
 * Some servers take no user message right behind a result, and Pi puts an assistant message between for them. The body
 * does not name the server; but for one of that kind Pi never leaves the text beside calls away, so a message without
 * text says that nothing is needed.
 */
function bridgeOf(list: readonly unknown[]): JsonObject[] {
	const answers = list.filter(isObject).filter((message) => message.role === "assistant");
	const isLenient = answers.some((message) => (message.content ?? null) === null);
	// Servers that want reasoning with each answer get it empty, as Pi gives it to them.
	const reasoning = answers.some((message) => "reasoning_content" in message) ? { reasoning_content: "" } : {};
	return isLenient ? [] : [{ role: "assistant", content: "I have processed the tool results.", ...reasoning }];
}
