/**
 * Bedrock's Converse API: consecutive messages of one role are one turn, as Claude takes them there; the turn behind
 * `toolUse` blocks must begin with exactly their `toolResult` blocks; a `toolResult` elsewhere is refused. Text must
 * not be blank and content not empty; a `cachePoint` may follow any block but reasoning, and there are at most four.
 */

import { grouped, pairingOf, type Validator } from "./validator.ts";

interface Block {
	text?: string;
	toolUse?: { toolUseId: string };
	toolResult?: { toolUseId: string; content: Block[] };
	cachePoint?: object;
	reasoningContent?: object;
}

interface Message {
	role: string;
	content: Block[];
}

const MOST_CACHE_POINTS = 4;
const KINDS = ["text", "image", "document", "video", "toolUse", "toolResult", "cachePoint", "reasoningContent"];
const RESULT_KINDS = ["text", "image", "document", "video", "json"];

export const validateBedrock: Validator = (body) => {
	const { messages } = body as { messages: Message[] };
	const complaints: string[] = [];
	if (messages[0]?.role !== "user") complaints.push("the first message is not the user's");
	let asked: string[] = [];
	for (const { key, items } of grouped(messages, (message) => message.role)) {
		if (key !== "user" && key !== "assistant") complaints.push(`role ${key}`);
		if (items.some((message) => message.content.length === 0)) complaints.push("empty content");
		const blocks = items.flatMap((message) => message.content);
		const places = blocks.flatMap((block, place) => (block.toolResult === undefined ? [] : [place]));
		if (key !== "user" && places.length > 0) complaints.push("a result of the assistant");
		if (places.some((place, order) => place !== order)) complaints.push("a result behind other content");
		complaints.push(
			...pairingOf(
				asked,
				places.map((place) => blocks[place]!.toolResult!.toolUseId),
			),
		);
		asked = key === "assistant" ? blocks.flatMap((block) => block.toolUse?.toolUseId ?? []) : [];
		complaints.push(...blocks.flatMap((block) => complaintsOfBlock(block, KINDS)));
		for (const [place, block] of blocks.entries()) {
			const before = blocks[place - 1];
			if (block.cachePoint === undefined) continue;
			if (before === undefined) complaints.push("a cache point in front");
			if (before?.cachePoint || before?.reasoningContent) complaints.push("a cache point behind what takes none");
		}
	}
	const points = JSON.stringify(body).split('"cachePoint"').length - 1;
	if (points > MOST_CACHE_POINTS) complaints.push(`${points} cache points`);
	return [...complaints, ...pairingOf(asked, [])];
};

function complaintsOfBlock(block: Block, allowed: readonly string[]): string[] {
	const kinds = Object.keys(block);
	if (kinds.length !== 1 || !allowed.includes(kinds[0]!)) return [`a block of ${kinds.join(" and ")}`];
	if (typeof block.text === "string" && block.text.trim() === "") return ["blank text"];
	if (block.toolResult === undefined) return [];
	const { content } = block.toolResult;
	if (content.length === 0) return ["an empty result"];
	return content.flatMap((inner) => complaintsOfBlock(inner, RESULT_KINDS));
}
