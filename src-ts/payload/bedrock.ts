/** Bedrock Converse: `toolUse` and `toolResult` blocks, and `cachePoint` blocks that stay where they are. */

import { blockFamily } from "./blocks.ts";
import { isBlank, isObject, type JsonObject } from "./json.ts";
import { labelOf } from "./outline.ts";

/** What a result and a user message may both hold. */
const SHARED_BLOCKS = ["text", "image", "document", "video"];

export const bedrock = blockFamily({
	model: "assistant",
	blocksOf: (message) => message.content,
	withBlocks: (message, content) => ({ ...message, content }),
	isResult: (block) => Boolean(block?.toolResult),
	isCallOf: (block, result) => {
		const id = useOf(block)?.toolUseId;
		return typeof id === "string" && id === resultOf(result)?.toolUseId;
	},
	callOf: (block) => tagOf(useOf(block)),
	resultOf: (block) => tagOf(resultOf(block)),
	toText,
	apart: false,
});

const useOf = (block: JsonObject) => block?.toolUse as JsonObject | null | undefined;
const resultOf = (block: JsonObject) => block?.toolResult as JsonObject | null | undefined;
const tagOf = (value: JsonObject | null | undefined) => (value ? { id: value.toolUseId } : undefined);

function toText(block: JsonObject): JsonObject[] {
	const { content, status } = resultOf(block) ?? {};
	const blocks: JsonObject[] = (Array.isArray(content) ? content : [])
		.map((block) =>
			isObject(block) && SHARED_BLOCKS.some((name) => name in block)
				? block
				: { text: JSON.stringify(isObject(block) && "json" in block ? block.json : block) },
		)
		.filter((block) => typeof block.text !== "string" || !isBlank(block.text));
	return [{ text: labelOf(status === "error") }, ...blocks];
}
