/**
 * Anthropic's messages API: cache order tools, system, messages; what it refuses, in its words; its event stream.
 *
 * Thinking rules: a signed block must come back as it was given, and within the current tool loop (behind the newest
 * user message that is more than tool results) it must come back at all.
 */
import {
	contentBlocks,
	type Family,
	type Fields,
	fields,
	list,
	type Memory,
	pieces,
	type Reply,
	str,
	textOf,
} from "./family.ts";
import type { SeenMessage } from "./script.ts";
import { type Block, block, type Json, type Tier } from "./tokens.ts";

/** Cache marks that one request may carry. */
const MAXIMUM_MARKS = 4;

function tier(value: Fields): Tier | undefined {
	const control = value.cache_control;
	if (control === undefined || control === null) return undefined;
	return fields(control).ttl === "1h" ? "1h" : "5m";
}

function blocks(body: Fields): Block[] {
	// Thinking and tool choice are part of what the messages' cache hangs on; tools and system are not.
	const settings = JSON.stringify([body.thinking ?? null, body.tool_choice ?? null, body.output_config ?? null]);
	return [
		...list(body.tools).map((tool) => block("tool", tool, tier(tool))),
		...contentBlocks(body.system).map((part) => block("system", part, tier(part))),
		...list(body.messages).flatMap((message) =>
			contentBlocks(message.content).map((part) => {
				const content = part.type === "tool_result" ? contentBlocks(part.content) : undefined;
				return block(`${settings} ${str(message.role)}`, content ? { ...part, content } : part, tier(part));
			}),
		),
	];
}

/** What may not carry a mark: these may be cached only with what stands around them. */
const UNMARKABLE = new Set(["thinking", "redacted_thinking"]);

function marksFault(body: Fields): string | undefined {
	for (const [at, message] of list(body.messages).entries()) {
		const index = contentBlocks(message.content).findIndex(
			(part) => part.cache_control && UNMARKABLE.has(str(part.type)),
		);
		if (index < 0) continue;
		const type = str(contentBlocks(message.content)[index]!.type);
		return `messages.${at}.content.${index}.${type}.cache_control: Extra inputs are not permitted`;
	}
	const found = blocks(body).flatMap(({ mark }) => (mark ? [mark] : []));
	if (found.length > MAXIMUM_MARKS) {
		return `A maximum of ${MAXIMUM_MARKS} blocks with cache_control may be provided. Found ${found.length}.`;
	}
	if (found.lastIndexOf("1h") > found.indexOf("5m") && found.includes("5m")) {
		return "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block";
	}
	return undefined;
}

function isEmptyText(part: Fields): boolean {
	return part.type === "text" && str(part.text) === "";
}

function shapeFault(messages: Fields[]): string | undefined {
	if (messages.length === 0) return "messages: at least one message is required";
	if (messages[0]!.role !== "user") return 'messages: first message must use the "user" role';
	for (const [at, message] of messages.entries()) {
		if (message.role !== "user" && message.role !== "assistant" && message.role !== "system") {
			return `messages.${at}.role: Input should be 'user' or 'assistant'`;
		}
		const parts = contentBlocks(message.content);
		const last = at === messages.length - 1 && message.role === "assistant";
		const configures = message.role === "system" && message.output_config !== undefined;
		if (parts.length === 0 && !last && !configures) {
			return `messages.${at}: all messages must have non-empty content except for the optional final assistant message`;
		}
		const inner = parts.flatMap((part) => (part.type === "tool_result" ? [part, ...list(part.content)] : [part]));
		if (inner.some((part) => isEmptyText(part) && part.cache_control)) {
			return `messages.${at}: cache_control cannot be set for empty text blocks`;
		}
		if (inner.some(isEmptyText)) return `messages: text content blocks must be non-empty`;
	}
	return undefined;
}

function pairingFault(messages: Fields[]): string | undefined {
	const seen = new Set<string>();
	let open: string[] = [];
	let previous: string[] = [];
	for (const [at, message] of messages.entries()) {
		const parts = contentBlocks(message.content);
		const answered = new Set<string>();
		const leading = parts.findIndex((part) => part.type !== "tool_result");
		for (const [index, part] of parts.entries()) {
			if (part.type !== "tool_result") continue;
			const id = str(part.tool_use_id);
			if (message.role !== "user") return `messages.${at}: \`tool_result\` blocks can only be in \`user\` messages`;
			if (!previous.includes(id)) {
				return `messages.${at}.content.${index}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
			}
			if (answered.has(id)) {
				return `messages.${at}.content.${index}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`;
			}
			answered.add(id);
			if (leading >= 0 && index > leading) answered.delete(id);
		}
		const missing = open.filter((id) => !answered.has(id));
		if (missing.length > 0) {
			return `messages.${at - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
		}
		const calls = parts.filter((part) => part.type === "tool_use").map((part) => str(part.id));
		for (const id of calls) {
			if (seen.has(id)) return `messages.${at}: \`tool_use\` ids must be unique`;
			seen.add(id);
		}
		open = message.role === "assistant" ? calls : [];
		previous = open;
	}
	if (open.length > 0) {
		return `messages.${messages.length - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
	}
	return undefined;
}

function thinkingFault(body: Fields, messages: Fields[], memory: Memory): string | undefined {
	const loop = messages.findLastIndex(
		({ role, content }) => role === "user" && contentBlocks(content).some(({ type }) => type !== "tool_result"),
	);
	for (const [at, message] of messages.entries()) {
		if (message.role !== "assistant") continue;
		const parts = contentBlocks(message.content);
		for (const [index, part] of parts.entries()) {
			if (part.type !== "thinking") continue;
			if (memory.signatures.get(str(part.signature)) !== str(part.thinking)) {
				return at > loop
					? `messages.${at}.content.${index}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`
					: `messages.${at}.content.${index}: Invalid \`signature\` in \`thinking\` block`;
			}
		}
		const asked = body.thinking !== undefined && fields(body.thinking).type !== "disabled";
		if (at < loop || !asked) continue;
		for (const part of parts) {
			const given = part.type === "tool_use" ? memory.calls.get(str(part.id)) : undefined;
			if (given?.thinking === undefined || given.model !== body.model) continue;
			if (!parts.some(({ type, thinking }) => type === "thinking" && thinking === given.thinking)) {
				return `messages.${at}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${str(parts[0]?.type)}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`;
			}
		}
	}
	return undefined;
}

function refuse(body: Fields, memory: Memory): string | undefined {
	const messages = list(body.messages);
	return shapeFault(messages) ?? pairingFault(messages) ?? thinkingFault(body, messages, memory) ?? marksFault(body);
}

function messages(body: Fields): SeenMessage[] {
	const system: SeenMessage = { role: "system", text: textOf(body.system), calls: [] };
	return [system, ...list(body.messages).flatMap(seen)];
}

function seen(message: Fields): SeenMessage[] {
	const parts = contentBlocks(message.content);
	if (message.role === "assistant") {
		const calls = parts
			.filter(({ type }) => type === "tool_use")
			.map(({ id, name }) => ({ id: str(id), name: str(name) }));
		return [{ role: "assistant", text: textOf(message.content), calls }];
	}
	const results = parts
		.filter(({ type }) => type === "tool_result")
		.map(
			(part): SeenMessage => ({ role: "tool", text: textOf(part.content), calls: [], callId: str(part.tool_use_id) }),
		);
	const text = parts.filter(({ type }) => type === "text").map((part) => str(part.text));
	if (text.length === 0) return results;
	return [...results, { role: message.role === "system" ? "system" : "user", text: text.join("\n"), calls: [] }];
}

function event(type: string, data: Fields): string {
	return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
}

function contentEvents(index: number, start: Fields, deltas: Fields[]): string[] {
	return [
		event("content_block_start", { index, content_block: start }),
		...deltas.map((delta) => event("content_block_delta", { index, delta })),
		event("content_block_stop", { index }),
	];
}

function usage({ use }: Reply, output: number): Fields {
	return {
		input_tokens: use.input,
		cache_read_input_tokens: use.read,
		cache_creation_input_tokens: use.write + use.writeHour,
		cache_creation: { ephemeral_5m_input_tokens: use.write, ephemeral_1h_input_tokens: use.writeHour },
		output_tokens: output,
	};
}

function events(reply: Reply): string[] {
	const content: string[][] = [];
	const add = (start: Fields, deltas: Fields[]) => content.push(contentEvents(content.length, start, deltas));
	if (reply.thinking !== undefined) {
		const thought = pieces(reply.thinking).map((thinking): Fields => ({ type: "thinking_delta", thinking }));
		const signed: Fields = { type: "signature_delta", signature: reply.signature ?? "" };
		add({ type: "thinking", thinking: "", signature: "" }, [...thought, signed]);
	}
	if (reply.text) {
		add(
			{ type: "text", text: "" },
			pieces(reply.text).map((text) => ({ type: "text_delta", text })),
		);
	}
	for (const { id, name, input } of reply.calls) {
		const json = pieces(JSON.stringify(input)).map(
			(partial_json): Fields => ({ type: "input_json_delta", partial_json }),
		);
		add({ type: "tool_use", id, name, input: {} }, json);
	}
	const message: { [key: string]: Json } = {
		id: `msg_${reply.serial}`,
		type: "message",
		role: "assistant",
		model: reply.model,
		content: [],
		stop_reason: null,
		stop_sequence: null,
		usage: usage(reply, 1) as { [key: string]: Json },
	};
	const stop_reason = reply.calls.length > 0 ? "tool_use" : "end_turn";
	return [
		event("message_start", { message }),
		...content.flat(),
		event("message_delta", { delta: { stop_reason, stop_sequence: null }, usage: usage(reply, reply.output) }),
		event("message_stop", {}),
	];
}

export const anthropic: Family = {
	path: /\/messages(\?|$)/,
	blocks,
	refuse,
	messages,
	tools: (body) => list(body.tools).map(({ name }) => str(name)),
	cap: (body) => (typeof body.max_tokens === "number" ? body.max_tokens : undefined),
	errorBody: (type, message) => ({ type: "error", error: { type, message } }),
	events,
	callId: (serial, index) => `toolu_${String(serial).padStart(4, "0")}_${index}`,
};
