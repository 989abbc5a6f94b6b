/**
 * Pi's real serialisers: what each makes of a sequence of messages. Either the body is taken where Pi hands it to
 * extensions, and the request ends there; or it goes on to a transport of our own, which keeps what would be sent.
 */

import { createServer } from "node:http";
import { zstdDecompressSync } from "node:zlib";
import type { Api, AssistantMessageEventStream, Message, Model, ThinkingContent } from "@earendil-works/pi-ai";

/** What the messages of a model look like. */
export interface Origin {
	api: Api;
	provider: string;
	model: string;
	/** The model takes images, and Pi keeps the results of a message together when they hold some. */
	images: boolean;
	callId(number: number): string;
	thinking(text: string, number: number): ThinkingContent;
}

export interface Serialiser {
	name: string;
	origin: Origin;
	/** The body as extensions get it. */
	serialise(messages: readonly Message[]): Promise<unknown>;
	/** The body as the provider gets it, when `repair` was asked for another one as an extension is. */
	send(messages: readonly Message[], repair: (body: unknown) => unknown): Promise<unknown>;
}

type Stream = (model: Model<Api>, context: { messages: Message[] }, options: object) => AssistantMessageEventStream;

interface Setting {
	api: string;
	module: string;
	provider: string;
	model: string;
	name?: string;
	baseUrl?: string;
	compat?: object;
	options?: object;
	images?: boolean;
	thinking?: Origin["thinking"];
	callId?: Origin["callId"];
}

class Captured extends Error {}

/** Bedrock's client takes no `fetch`: it talks to a server in this process, which refuses everything. */
const receivedByServer: Uint8Array[] = [];
const server = createServer(async (request, response) => {
	receivedByServer.push(Buffer.concat(await request.toArray()));
	response.writeHead(400, { connection: "close" }).end("{}");
});
await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
server.unref();
const address = server.address();
const serverUrl = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;

/** Codex compresses by zstd where Node can: the format's magic number. */
function isCompressed(body: Uint8Array): boolean {
	return Buffer.from(body.subarray(0, 4)).toString("hex") === "28b52ffd";
}

async function serialiserOf(setting: Setting): Promise<Serialiser> {
	const module = (await import(`@earendil-works/pi-ai/api/${setting.module}`)) as { stream: Stream };
	const { api, provider } = setting;
	const model = {
		id: setting.model,
		name: setting.model,
		api,
		provider,
		baseUrl: setting.baseUrl ?? "http://localhost:1",
		reasoning: true,
		input: ["text", "image"],
		cost: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
		contextWindow: 200_000,
		maxTokens: 8_000,
		compat: setting.compat,
	} as unknown as Model<Api>;
	const answer = (messages: readonly Message[], options: object) => {
		const all = { apiKey: "key", maxRetries: 0, transport: "sse", ...setting.options, ...options };
		return module.stream(model, { messages: structuredClone([...messages]) }, all).result();
	};
	const serialise = async (messages: readonly Message[]) => {
		let body: unknown;
		const onPayload = (payload: unknown) => {
			body = payload;
			throw new Captured("the body is known");
		};
		const { errorMessage } = await answer(messages, { onPayload });
		if (body === undefined) throw new Error(`${setting.name ?? setting.provider}: ${errorMessage}`);
		return body;
	};
	const send = async (messages: readonly Message[], repair: (body: unknown) => unknown) => {
		let sent: Uint8Array | undefined;
		const fetch = async (_url: unknown, { body }: RequestInit) => {
			sent = typeof body === "string" ? Buffer.from(body) : (body as Uint8Array);
			return new Response("{}", { status: 400 });
		};
		const { errorMessage } = await answer(messages, { fetch, onPayload: repair });
		sent ??= receivedByServer.pop();
		if (sent === undefined) throw new Error(`${setting.name ?? setting.provider}: ${errorMessage}`);
		return JSON.parse(Buffer.from(isCompressed(sent) ? zstdDecompressSync(sent) : sent).toString());
	};
	const origin: Origin = {
		api,
		provider,
		model: setting.model,
		images: setting.images ?? true,
		callId: setting.callId ?? ((number) => `call_${number}`),
		thinking:
			setting.thinking ?? ((thinking, number) => ({ type: "thinking", thinking, thinkingSignature: `sig${number}` })),
	};
	return { name: setting.name ?? setting.provider, origin, serialise, send };
}

/** Reasoning of the Responses API travels as an item of its own. */
const reasoningItem: Origin["thinking"] = (text, number) => ({
	type: "thinking",
	thinking: text,
	thinkingSignature: JSON.stringify({
		type: "reasoning",
		id: `rs_${number}`,
		summary: [{ type: "summary_text", text }],
	}),
});
const responsesId = (number: number) => `call_${number}|fc_${number}`;
/** Gemini's signatures are base64. */
const geminiThinking: Origin["thinking"] = (thinking, number) => ({
	type: "thinking",
	thinking,
	thinkingSignature: Buffer.from(`signature ${number}`).toString("base64"),
});

const CODEX_CLAIMS = btoa(JSON.stringify({ "https://api.openai.com/auth": { chatgpt_account_id: "account" } }));
const MID_CONVERSATION = {
	supportsMidConvoSystemMessages: true,
	supportsMidConvoToolChanges: true,
	supportsMidConvoEffort: true,
	forceAdaptiveThinking: true,
};

const SETTINGS: { [family: string]: Setting[] } = {
	anthropic: [
		{ api: "anthropic-messages", module: "anthropic-messages", provider: "anthropic", model: "claude-sonnet-4-5" },
		{
			name: "anthropic with system messages in between",
			api: "anthropic-messages",
			module: "anthropic-messages",
			provider: "anthropic",
			model: "claude-current",
			compat: MID_CONVERSATION,
			options: { thinkingEnabled: true, effort: "high" },
		},
		{
			name: "anthropic by OAuth",
			api: "anthropic-messages",
			module: "anthropic-messages",
			provider: "anthropic",
			model: "claude-sonnet-4-5",
			options: { apiKey: "sk-ant-oat01-key", cacheRetention: "long" },
		},
	],
	chat: [
		{ api: "openai-completions", module: "openai-completions", provider: "deepseek", model: "deepseek-chat" },
		{
			name: "chat with cache marks",
			api: "openai-completions",
			module: "openai-completions",
			provider: "openrouter",
			model: "anthropic/claude",
			compat: { cacheControlFormat: "anthropic", supportsMidConvoSystemMessages: true },
		},
		{
			name: "chat with a strict order of roles",
			api: "openai-completions",
			module: "openai-completions",
			provider: "strict",
			model: "strict",
			compat: { requiresAssistantAfterToolResult: true, requiresToolResultName: true },
		},
		{ api: "mistral-conversations", module: "mistral-conversations", provider: "mistral", model: "mistral-large" },
	],
	responses: [
		{ provider: "openai", api: "openai-responses", module: "openai-responses", model: "gpt-5" },
		{
			name: "openai with system messages in between",
			provider: "openai",
			api: "openai-responses",
			module: "openai-responses",
			model: "gpt-6",
			compat: { supportsMidConvoSystemMessages: true, supportsAdditionalTools: true },
		},
		{
			provider: "azure",
			api: "azure-openai-responses",
			module: "azure-openai-responses",
			model: "gpt-5",
			baseUrl: "https://example.openai.azure.com/openai/v1",
		},
		{
			provider: "openai-codex",
			api: "openai-codex-responses",
			module: "openai-codex-responses",
			model: "gpt-5-codex",
			options: { apiKey: `e30.${CODEX_CLAIMS}.sig` },
		},
	].map((setting) => ({ ...setting, thinking: reasoningItem, callId: responsesId })),
	gemini: [
		// Pi puts images of results into turns of their own on models before the third generation.
		{
			provider: "google",
			api: "google-generative-ai",
			module: "google-generative-ai",
			model: "gemini-2.5-pro",
			images: false,
		},
		{ provider: "google", api: "google-generative-ai", module: "google-generative-ai", model: "gemini-3-pro" },
		{ provider: "google-vertex", api: "google-vertex", module: "google-vertex", model: "gemini-3-pro" },
	].map((setting) => ({ ...setting, name: `${setting.provider} ${setting.model}`, thinking: geminiThinking })),
	bedrock: [
		{ name: "claude", model: "anthropic.claude-sonnet-4-5-v1:0" },
		{ name: "nova", model: "amazon.nova-pro-v1:0" },
	].map((setting) => ({
		...setting,
		name: `bedrock ${setting.name}`,
		provider: "amazon-bedrock",
		api: "bedrock-converse-stream",
		module: "bedrock-converse-stream",
		baseUrl: serverUrl,
		options: {
			region: "us-east-1",
			env: { AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "key", AWS_BEDROCK_FORCE_HTTP1: "1" },
		},
	})),
};

export const FAMILIES = Object.keys(SETTINGS);

export function serialisersOf(family: string): Promise<Serialiser[]> {
	return Promise.all((SETTINGS[family] ?? []).map(serialiserOf));
}
