/** Anthropic messages: `tool_use` blocks of the assistant, answered by `tool_result` blocks of the user. */

import { blockFamily } from "./blocks.ts";
import { isBlank, isObject, type JsonObject } from "./json.ts";
import { labelOf } from "./outline.ts";

/** What a result and a user message may both hold. */
const SHARED_BLOCKS = new Set<unknown>(["text", "image", "document", "search_result"]);

export const anthropic = blockFamily({
	model: "assistant",
	blocksOf: (message) => message.content,
	withBlocks: (message, content) => ({ ...message, content }),
	isResult: (block) => block?.type === "tool_result",
	isCallOf: (block, result) =>
		block?.type === "tool_use" && typeof block.id === "string" && block.id === result.tool_use_id,
	callOf: (block) => (block?.type === "tool_use" ? { id: block.id } : undefined),
	resultOf: (block) => (block?.type === "tool_result" ? { id: block.tool_use_id } : undefined),
	toText,
	apart: false,
});

function toText(result: JsonObject): JsonObject[] {
	const blocks: JsonObject[] = [
		{ type: "text", text: labelOf(result.is_error === true) },
		...contentOf(result.content),
	];
	if (result.cache_control === undefined) return blocks;
	return blocks.with(-1, { ...blocks[blocks.length - 1], cache_control: result.cache_control });
}

function contentOf(content: unknown): JsonObject[] {
	const blocks = Array.isArray(content)
		? content
		: typeof content === "string"
			? [{ type: "text", text: content }]
			: [];
	return blocks
		.map((block) =>
			isObject(block) && SHARED_BLOCKS.has(block.type) ? block : { type: "text", text: JSON.stringify(block) },
		)
		.filter((block) => typeof block.text !== "string" || !isBlank(block.text));
}
