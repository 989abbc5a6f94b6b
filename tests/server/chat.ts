/** OpenAI's chat completions API: cache order, what it refuses, its chunk stream. */
import { contentBlocks, type Family, type Fields, fields, list, pieces, type Reply, str, textOf } from "./family.ts";
import type { SeenMessage } from "./script.ts";
import { type Block, block, type Tier } from "./tokens.ts";

/** Some chat endpoints take Anthropic's marks; on those a block is marked where its last part is. */
function mark(content: Fields[]): Tier | undefined {
	const control = content.findLast((part) => part.cache_control !== undefined)?.cache_control;
	if (control === undefined) return undefined;
	return fields(control).ttl === "1h" ? "1h" : "5m";
}

function blocks(body: Fields): Block[] {
	return [
		...list(body.tools).map((tool) => block("tool", tool, mark([tool]))),
		...list(body.messages).map((message) => {
			const content = contentBlocks(message.content);
			return block("message", { ...message, content }, mark(content));
		}),
	];
}

function refuse(body: Fields): string | undefined {
	const messages = list(body.messages);
	if (messages.length === 0) return "Invalid 'messages': empty array. Expected an array with minimum length 1.";
	let open = new Set<string>();
	let asked = new Set<string>();
	const missing = () =>
		`An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...open].join(", ")}`;
	for (const [at, message] of messages.entries()) {
		if (message.role === "tool") {
			const id = str(message.tool_call_id);
			if (asked.size === 0) {
				return `Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'. (messages.[${at}].role)`;
			}
			if (!asked.has(id))
				return `Invalid parameter: 'tool_call_id' of '${id}' not found in 'tool_calls' of previous message.`;
			if (!open.delete(id))
				return `Duplicate value for 'tool_call_id' of '${id}' in message with role 'tool'. (messages.[${at}])`;
			continue;
		}
		if (open.size > 0) return missing();
		if (!["system", "developer", "user", "assistant"].includes(str(message.role))) {
			return `Invalid value: '${str(message.role)}'. Supported values are: 'system', 'assistant', 'user', 'tool', and 'developer'. (messages[${at}].role)`;
		}
		const calls = list(message.tool_calls).map(({ id }) => str(id));
		if (
			message.role === "assistant" &&
			calls.length === 0 &&
			(message.content === null || message.content === undefined)
		) {
			return `Invalid value for 'content': expected a string, got null. (messages.[${at}].content)`;
		}
		asked = new Set(calls);
		open = new Set(calls);
		if (open.size < calls.length) return `Duplicate value for 'id' in 'tool_calls'. (messages.[${at}].tool_calls)`;
	}
	return open.size > 0 ? missing() : undefined;
}

function messages(body: Fields): SeenMessage[] {
	return list(body.messages).map((message): SeenMessage => {
		const text = textOf(message.content);
		if (message.role === "tool") return { role: "tool", text, calls: [], callId: str(message.tool_call_id) };
		if (message.role === "assistant") {
			const calls = list(message.tool_calls).map((call) => ({
				id: str(call.id),
				name: str(fields(call.function).name),
			}));
			return { role: "assistant", text, calls };
		}
		return { role: message.role === "user" ? "user" : "system", text, calls: [] };
	});
}

function events(reply: Reply): string[] {
	const chunk = (delta: Fields, finish_reason: string | null = null, more: Fields = {}) =>
		`data: ${JSON.stringify({
			id: `chatcmpl-${reply.serial}`,
			object: "chat.completion.chunk",
			created: 0,
			model: reply.model,
			choices: [{ index: 0, delta, finish_reason }],
			...more,
		})}\n\n`;
	const prompt_tokens = reply.use.input + reply.use.read + reply.use.write;
	const usage: Fields = {
		prompt_tokens,
		completion_tokens: reply.output,
		total_tokens: prompt_tokens + reply.output,
		prompt_tokens_details: {
			cached_tokens: reply.use.read,
			...(reply.use.write > 0 ? { cache_write_tokens: reply.use.write } : {}),
		},
	};
	return [
		chunk({ role: "assistant", content: "" }),
		...pieces(reply.thinking ?? "").map((reasoning_content) => chunk({ reasoning_content })),
		...pieces(reply.text).map((content) => chunk({ content })),
		...reply.calls.flatMap(({ id, name, input }, index) => [
			chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] }),
			...pieces(JSON.stringify(input)).map((part) => chunk({ tool_calls: [{ index, function: { arguments: part } }] })),
		]),
		chunk({}, reply.calls.length > 0 ? "tool_calls" : "stop"),
		chunk({}, null, { choices: [], usage }),
		"data: [DONE]\n\n",
	];
}

export const chat: Family = {
	path: /\/chat\/completions$/,
	blocks,
	refuse,
	messages,
	tools: (body) => list(body.tools).map((tool) => str(fields(tool.function).name)),
	cap: (body) => [body.max_completion_tokens, body.max_tokens].find((value) => typeof value === "number"),
	errorBody: (type, message) => ({ error: { message, type, param: null, code: null } }),
	events,
	callId: (serial, index) => `call_${String(serial).padStart(4, "0")}_${index}`,
};
