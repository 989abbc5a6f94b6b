/** OpenAI's responses API: cache order, what it refuses, its event stream. */
import { type Family, type Fields, list, type Memory, pieces, type Reply, str, textOf } from "./family.ts";
import type { SeenMessage } from "./script.ts";
import { type Block, block, type Json } from "./tokens.ts";

const CALL_TYPES = ["function_call", "custom_tool_call"];
const RESULT_TYPES = ["function_call_output", "custom_tool_call_output"];

function input(body: Fields): Fields[] {
	if (typeof body.input === "string") return [{ role: "user", content: body.input }];
	return list(body.input);
}

function blocks(body: Fields): Block[] {
	return [
		...list(body.tools).map((tool) => block("tool", tool)),
		...(body.instructions ? [block("instructions", body.instructions)] : []),
		...input(body).map((item) => block("item", item)),
	];
}

function refuse(body: Fields, memory: Memory): string | undefined {
	const items = input(body);
	if (items.length === 0) return "Missing required parameter: 'input'.";
	const calls = new Set<string>();
	const results = new Set<string>();
	const ids = new Set<string>();
	for (const [at, item] of items.entries()) {
		const type = str(item.type);
		const id = str(item.id);
		if (id !== "" && ids.has(id)) {
			return `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`;
		}
		ids.add(id);
		if (type === "reasoning") {
			const next = items[at + 1];
			if (
				next === undefined ||
				!(next.role === "assistant" || CALL_TYPES.includes(str(next.type)) || next.type === "reasoning")
			) {
				return `Item '${id}' of type 'reasoning' was provided without its required following item.`;
			}
			if (memory.signatures.get(str(item.encrypted_content)) === undefined) {
				return `The encrypted content for item ${id} could not be verified.`;
			}
		} else if (CALL_TYPES.includes(type)) {
			calls.add(str(item.call_id));
			const given = memory.calls.get(str(item.call_id));
			const own = id !== "" && given !== undefined && given.model === body.model ? given.thinking : undefined;
			const reasoned = items
				.slice(0, at)
				.some((before) => memory.signatures.get(str(before.encrypted_content)) === own);
			if (own !== undefined && !reasoned) {
				return `Item '${id}' of type 'function_call' was provided without its required 'reasoning' item.`;
			}
		} else if (RESULT_TYPES.includes(type)) {
			const call = str(item.call_id);
			if (!calls.has(call)) return `No tool call found for function call output with call_id ${call}.`;
			if (results.has(call)) return `Duplicate function call output with call_id ${call}.`;
			results.add(call);
		} else if (type === "" && !["system", "developer", "user", "assistant"].includes(str(item.role))) {
			return `Invalid value: '${str(item.role)}'. Supported values are: 'assistant', 'system', 'developer', and 'user'. (input[${at}])`;
		}
	}
	const open = [...calls].find((call) => !results.has(call));
	return open === undefined ? undefined : `No tool output found for function call ${open}.`;
}

/** One assistant message for each stretch of assistant items, as in the other two families. */
function messages(body: Fields): SeenMessage[] {
	const result: SeenMessage[] = [{ role: "system", text: str(body.instructions), calls: [] }];
	let current: SeenMessage | undefined;
	for (const item of input(body)) {
		const type = str(item.type);
		const own = item.role === "assistant" || type === "reasoning" || CALL_TYPES.includes(type);
		if (own) {
			if (current === undefined) {
				current = { role: "assistant", text: "", calls: [] };
				result.push(current);
			}
			if (item.role === "assistant") current.text += textOf(item.content);
			if (CALL_TYPES.includes(type)) current.calls.push({ id: str(item.call_id), name: str(item.name) });
			continue;
		}
		current = undefined;
		if (RESULT_TYPES.includes(type)) {
			result.push({ role: "tool", text: textOf(item.output), calls: [], callId: str(item.call_id) });
		} else {
			result.push({ role: item.role === "user" ? "user" : "system", text: textOf(item.content), calls: [] });
		}
	}
	return result;
}

function events(reply: Reply): string[] {
	const result: string[] = [];
	const output: Json[] = [];
	const emit = (type: string, data: Fields) => {
		const event = { type, sequence_number: result.length, ...data };
		result.push(`event: ${type}\ndata: ${JSON.stringify(event)}\n\n`);
	};
	const item = (start: Fields, done: Fields, deltas: (index: number) => void) => {
		const output_index = output.length;
		emit("response.output_item.added", { output_index, item: start as { [key: string]: Json } });
		deltas(output_index);
		emit("response.output_item.done", { output_index, item: done as { [key: string]: Json } });
		output.push(done as { [key: string]: Json });
	};
	emit("response.created", { response: { id: `resp_${reply.serial}`, status: "in_progress", model: reply.model } });
	if (reply.thinking !== undefined) {
		const id = `rs_${reply.serial}`;
		const summary = [{ type: "summary_text", text: reply.thinking }];
		const thought = { id, type: "reasoning", summary, encrypted_content: reply.signature ?? "" };
		item({ id, type: "reasoning", summary: [] }, thought, (output_index) => {
			for (const delta of pieces(reply.thinking ?? "")) {
				emit("response.reasoning_summary_text.delta", { output_index, summary_index: 0, item_id: id, delta });
			}
		});
	}
	if (reply.text) {
		const id = `msg_${reply.serial}`;
		const base = { id, type: "message", role: "assistant" };
		const content = [{ type: "output_text", text: reply.text, annotations: [] }];
		item({ ...base, status: "in_progress", content: [] }, { ...base, status: "completed", content }, (output_index) => {
			for (const delta of pieces(reply.text)) {
				emit("response.output_text.delta", { output_index, content_index: 0, item_id: id, delta });
			}
		});
	}
	for (const [index, { id: call_id, name, input }] of reply.calls.entries()) {
		const id = `fc_${reply.serial}_${index}`;
		const base = { id, type: "function_call", call_id, name };
		const json = JSON.stringify(input);
		item({ ...base, arguments: "" }, { ...base, arguments: json, status: "completed" }, (output_index) => {
			for (const delta of pieces(json))
				emit("response.function_call_arguments.delta", { output_index, item_id: id, delta });
			emit("response.function_call_arguments.done", { output_index, item_id: id, arguments: json });
		});
	}
	const input_tokens = reply.use.input + reply.use.read + reply.use.write;
	const written = reply.use.write > 0 ? { cache_write_tokens: reply.use.write } : {};
	const usage = {
		input_tokens,
		input_tokens_details: { cached_tokens: reply.use.read, ...written },
		output_tokens: reply.output,
		output_tokens_details: { reasoning_tokens: 0 },
		total_tokens: input_tokens + reply.output,
	};
	emit("response.completed", {
		response: { id: `resp_${reply.serial}`, status: "completed", model: reply.model, output, usage },
	});
	return result;
}

export const responses: Family = {
	path: /\/responses$/,
	blocks,
	refuse,
	messages,
	tools: (body) => list(body.tools).map(({ name }) => str(name)),
	cap: (body) => (typeof body.max_output_tokens === "number" ? body.max_output_tokens : undefined),
	errorBody: (type, message) => ({ error: { message, type, param: null, code: null } }),
	events,
	callId: (serial, index) => `call_${String(serial).padStart(4, "0")}_${index}`,
};
