/**
 * Anthropic's Messages API: consecutive messages of one role are one turn; the turn behind `tool_use` blocks must begin
 * with exactly their `tool_result` blocks, with nothing in between, a system message neither; a `tool_result` elsewhere
 * is refused. Text must not be blank, content not empty, results of errors are text only, at most four cache marks, none
 * of the hour tier behind a shorter one, none on thinking.
 */

import { grouped, pairingOf, type Validator } from "./validator.ts";

const MOST_CACHE_MARKS = 4;

interface Block {
	type: string;
	text?: string;
	id?: string;
	tool_use_id?: string;
	content?: string | Block[];
	is_error?: boolean;
	cache_control?: { ttl?: string };
}

interface Message {
	role: string;
	content: string | Block[];
	/** A system message that only sets the effort may be empty. */
	output_config?: object;
}

export const validateAnthropic: Validator = (body) => {
	const turns = grouped((body as { messages: Message[] }).messages, (message) => message.role).map(
		({ key, items }) => ({
			role: key,
			blocks: items.flatMap((message) => blocksOf(message.content)),
			messages: items,
		}),
	);
	const complaints: string[] = [];
	if (turns[0]?.role !== "user") complaints.push("the first message is not the user's");
	let asked: string[] = [];
	for (const { role, blocks, messages } of turns) {
		const results = blocks.filter((block) => block.type === "tool_result");
		const expected = asked;
		asked =
			role === "assistant" ? blocks.filter((block) => block.type === "tool_use").map((block) => block.id ?? "") : [];
		if (role !== "user" && results.length > 0) complaints.push(`a result in a message of ${role}`);
		if (!["user", "assistant", "system"].includes(role)) complaints.push(`role ${role}`);
		complaints.push(...pairingOf(expected, role === "user" ? results.map((result) => result.tool_use_id ?? "") : []));
		const leading = blocks.findIndex((block) => block.type !== "tool_result");
		if (leading >= 0 && blocks.slice(leading).some((block) => block.type === "tool_result")) {
			complaints.push("a result behind other content");
		}
		if (messages.some((message) => message.content.length === 0 && message.output_config === undefined)) {
			complaints.push("empty content");
		}
		complaints.push(...blocks.flatMap(complaintsOfBlock));
	}
	complaints.push(...pairingOf(asked, []));
	const marks = JSON.stringify(body).split('"cache_control"').length - 1;
	if (marks > MOST_CACHE_MARKS) complaints.push(`${marks} cache marks`);
	const blocks = turns.flatMap((turn) => turn.blocks);
	const tiers = blocks.flatMap(({ cache_control }) => (cache_control ? [cache_control.ttl ?? "5m"] : []));
	if (tiers.some((tier, at) => tier === "1h" && tiers[at - 1] === "5m")) complaints.push("a longer tier behind");
	if (blocks.some(({ type, cache_control }) => cache_control && type.includes("thinking"))) {
		complaints.push("a mark on thinking");
	}
	return complaints;
};

function blocksOf(content: string | Block[]): Block[] {
	return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

const USER_BLOCKS = ["text", "image", "document", "search_result", "tool_result", "tool_use", "thinking"];
const OTHER_BLOCKS = ["redacted_thinking", "tool_addition", "tool_removal"];

function complaintsOfBlock(block: Block): string[] {
	if (![...USER_BLOCKS, ...OTHER_BLOCKS].includes(block.type)) return [`a block of type ${block.type}`];
	if (block.type === "text" && (block.text ?? "").trim() === "") return ["blank text"];
	if (block.type !== "tool_result" || !Array.isArray(block.content)) return [];
	const isTextOnly = block.content.every((inner) => inner.type === "text");
	return block.is_error === true && !isTextOnly ? ["an error with more than text"] : [];
}
