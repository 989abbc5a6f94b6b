/**
 * A model that answers as the test says, in Pi's own process, and keeps each request that it was sent.
 */

import {
	type AssistantMessage,
	type AssistantMessageEventStream,
	createAssistantMessageEventStream,
	type Model,
	type SimpleStreamOptions,
	type TranscriptContext,
} from "@earendil-works/pi-ai";
import type { ProviderModelConfig } from "@earendil-works/pi-coding-agent";
import { clock } from "./clock.ts";

/** Lifetime of the prompt cache that the models declare, in milliseconds. */
export const LIFETIME = 300_000;

export const PROVIDER = "scripted";
export const API = "scripted-api";

/** Dollars a million tokens. */
const COST = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };

/** The last of them gets no images. */
export const MODELS: ProviderModelConfig[] = ["one", "two", "blind"].map((id) => ({
	id,
	name: id,
	reasoning: false,
	input: id === "blind" ? ["text"] : ["text", "image"],
	cost: COST,
	contextWindow: 1_000_000,
	maxTokens: 4_096,
	promptCache: { short: LIFETIME / 1000, long: 3_600 },
	// An explicit cache: on an automatic one the head of these small sessions would never be folded.
	compat: { cacheControlFormat: "anthropic" },
}));

export interface Call {
	readonly id: string;
	readonly name: string;
	readonly args: Record<string, string | number>;
	/** What the tool returns; with `throws`, as an error. */
	readonly output: string | readonly Block[];
	readonly throws?: boolean;
	/** Happens while the tool runs. */
	readonly during?: () => void;
}

export type Block =
	| { readonly type: "text"; readonly text: string }
	| { readonly type: "image"; readonly data: string; readonly mimeType: string };

/**
 * How an answer ends: as usual, by a report of an error, without ever having reached the provider, or because the user
 * stopped it.
 */
export type Ending = "answered" | "failed" | "offline" | "aborted";

export interface Answer {
	readonly text?: string;
	readonly thinking?: string;
	readonly calls?: readonly Call[];
	readonly ending?: Ending;
}

export interface Sent {
	/** Each message of the request, as JSON. */
	readonly messages: readonly string[];
	readonly payload: object;
	/** What went out in its place, the same object where nothing was changed. */
	readonly sentPayload: unknown;
	readonly model: string;
	readonly at: number;
	readonly ending: Ending;
}

/** Characters a token, for the usage that this model reports. */
const CHARACTERS_A_TOKEN = 3;

/** Tokens of a request that goes out with these messages. */
export function tokensOf(messages: readonly string[]): number {
	return Math.ceil(messages.join("").length / CHARACTERS_A_TOKEN);
}
/** Tokens that count as written to a cache: there is one, and it keeps nothing. */
const CACHED = 1;
/** Milliseconds that an answer takes. */
const LATENCY = 2_000;

export interface Script {
	/** The answer to the next request of the session. */
	next(): Answer;
	/** Whether the request belongs to the session, and is no summary. */
	isMain(options: SimpleStreamOptions | undefined): boolean;
	abort(): void;
	sent(request: Sent): void;
}

export function streamBy(script: Script) {
	return (
		model: Model<string>,
		context: TranscriptContext,
		options?: SimpleStreamOptions,
	): AssistantMessageEventStream => {
		const stream = createAssistantMessageEventStream();
		answer(script, model, context, options, stream).catch((error: unknown) => {
			stream.push({ type: "error", reason: "error", error: { ...blank(model, 0), errorMessage: String(error) } });
		});
		return stream;
	};
}

async function answer(
	script: Script,
	model: Model<string>,
	context: TranscriptContext,
	options: SimpleStreamOptions | undefined,
	stream: AssistantMessageEventStream,
): Promise<void> {
	const messages = context.messages.map((message) => JSON.stringify(message));
	const tokens = tokensOf(messages);
	if (!script.isMain(options)) {
		await options?.onPayload?.(chatBody(model, context), model);
		clock.advance(LATENCY);
		const message = { ...blank(model, tokens), content: [{ type: "text" as const, text: "What was done so far." }] };
		stream.push({ type: "done", reason: "stop", message });
		return;
	}
	const { text, thinking, calls = [], ending = "answered" } = script.next();
	const payload = chatBody(model, context);
	const replaced = await options?.onPayload?.(payload, model);
	const sentPayload = replaced === undefined ? payload : replaced;
	script.sent({ messages, payload, sentPayload, model: model.id, at: clock.now, ending });
	const content: AssistantMessage["content"] = [
		...(thinking === undefined ? [] : [{ type: "thinking" as const, thinking }]),
		...(text === undefined ? [] : [{ type: "text" as const, text }]),
		...calls.map(({ id, name, args }) => ({ type: "toolCall" as const, id, name, arguments: args })),
	];
	const started = blank(model, ending === "offline" ? 0 : tokens);
	clock.advance(LATENCY);
	stream.push({ type: "start", partial: { ...started, content: [] } });
	switch (ending) {
		case "aborted": {
			script.abort();
			const error = { ...blank(model, 0), content: content.slice(0, 1), stopReason: "aborted" as const };
			stream.push({ type: "error", reason: "aborted", error: { ...error, errorMessage: "Request was aborted" } });
			return;
		}
		case "failed":
		case "offline": {
			const error = { ...started, stopReason: "error" as const, errorMessage: `the request ${ending}` };
			stream.push({ type: "error", reason: "error", error });
			return;
		}
		default: {
			const reason = calls.length > 0 ? "toolUse" : "stop";
			stream.push({ type: "done", reason, message: { ...started, content, stopReason: reason } });
		}
	}
}

function blank(model: Model<string>, tokens: number): AssistantMessage {
	return {
		role: "assistant",
		content: [],
		api: model.api,
		provider: model.provider,
		model: model.id,
		usage: {
			input: tokens - Math.min(tokens, CACHED),
			output: tokens > 0 ? 20 : 0,
			cacheRead: 0,
			cacheWrite: Math.min(tokens, CACHED),
			totalTokens: tokens + 20,
			cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
		},
		stopReason: "stop",
		timestamp: clock.now,
	};
}

/** The body of a request in the shape of OpenAI's chat API, as far as calls and results go. */
function chatBody(model: Model<string>, context: TranscriptContext): object {
	const messages = context.messages.map((message) => {
		if (message.role === "toolResult") {
			return { role: "tool", tool_call_id: message.toolCallId, content: JSON.stringify(message.content) };
		}
		if (message.role !== "assistant") return { role: message.role, content: JSON.stringify(message) };
		const calls = message.content.filter((block) => block.type === "toolCall");
		const tool_calls = calls.map(({ id, name, arguments: args }) => ({
			id,
			type: "function",
			function: { name, arguments: JSON.stringify(args) },
		}));
		const content = JSON.stringify(message.content.filter((block) => block.type === "text"));
		return { role: "assistant", content, ...(tool_calls.length > 0 ? { tool_calls } : {}) };
	});
	return { model: model.id, messages };
}
