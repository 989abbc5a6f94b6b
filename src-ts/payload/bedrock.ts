/** Bedrock Converse: `toolUse` and `toolResult` blocks, and `cachePoint` blocks that stay where they are. */

import { blockFamily } from "./blocks.ts";
import { isBlank, isRecord, type Record } from "./json.ts";
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

const useOf = (block: Record) => block?.toolUse as Record | null | undefined;
const resultOf = (block: Record) => block?.toolResult as Record | null | undefined;
const tagOf = (value: Record | null | undefined) => (value ? { id: value.toolUseId } : undefined);

function toText(block: Record): Record[] {
	const { content, status } = resultOf(block) ?? {};
	const blocks: Record[] = (Array.isArray(content) ? content : [])
		.map((block) =>
			isRecord(block) && SHARED_BLOCKS.some((name) => name in block)
				? block
				: { text: JSON.stringify(isRecord(block) && "json" in block ? block.json : block) },
		)
		.filter((block) => typeof block.text !== "string" || !isBlank(block.text));
	return [{ text: labelOf(status === "error") }, ...blocks];
}
