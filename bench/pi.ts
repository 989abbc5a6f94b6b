/**
 * A Pi reduced to what the extension asks of it, around Pi's own session manager: the handlers are called one by one,
 * so that each can be timed alone. Nothing is sent anywhere.
 */

import * as pi from "@earendil-works/pi-coding-agent";
import { SessionManager } from "@earendil-works/pi-coding-agent";
import * as tui from "@earendil-works/pi-tui";
import type { BoundaryResult, ExtensionAPI, ExtensionContext, Message } from "../src-ts/host.ts";
import piZip from "../src-ts/index.ts";
import { assistant, MODEL, PROVIDER } from "./session.ts";

type Handler = (event: object, ctx: ExtensionContext) => unknown;
type Tool = {
	execute(
		id: string,
		params: object,
		signal: undefined,
		update: undefined,
		ctx: object,
	): Promise<{ content: { text: string }[] }>;
};
type Command = { handler(args: string, ctx: object): Promise<void> };

/** A day: what the session's end and the bench's own pace never reach. */
const LIFETIME_SECONDS = 86_400;
/** Milliseconds. */
const AWAY = 2 * LIFETIME_SECONDS * 1000;

const UNITS_A_TOKEN = 4;

export class BenchPi {
	readonly session: SessionManager;
	readonly #handlers = new Map<string, Handler[]>();
	readonly #tools = new Map<string, Tool>();
	readonly #commands = new Map<string, Command>();
	readonly #ctx: { model: object };
	#calls = 0;

	/** Loads the extension into a session, or into the one of a file. */
	constructor(session: string | SessionManager) {
		this.session = typeof session === "string" ? SessionManager.open(session) : session;
		this.#ctx = {
			sessionManager: this.session,
			model: model(),
			mode: "tui",
			hasUI: true,
			cwd: "/",
			ui: { notify() {} },
		} as { model: object };
		piZip(this.#api() as unknown as ExtensionAPI, { pi, tui });
	}

	/** The user is away until nothing is cached. */
	away(): void {
		const now = Date.now;
		Date.now = () => now() + AWAY;
	}

	/** Calls the handlers one after the other, each with what the one before made of it, and gives what came of it. */
	emit(name: string, event: object = {}): unknown {
		let changed: object | undefined;
		for (const handler of [...(this.#handlers.get(name) ?? [])]) {
			const result = handler({ ...event, ...changed }, this.#ctx as unknown as ExtensionContext);
			if (result instanceof Promise) throw new Error(`${name}: what is timed here must not wait`);
			if (result === undefined) continue;
			changed = name === "before_provider_request" ? { payload: result } : (result as object);
		}
		return changed;
	}

	/** The messages of the next request, as Pi hands them out. */
	cloneView(): Message[] {
		return structuredClone(this.session.buildSessionProjection().messages) as Message[];
	}

	/** A prompt reaches the session. */
	prompt(text: string): void {
		this.emit("before_agent_start", { prompt: text });
		this.session.appendMessage({ role: "user", content: [{ type: "text", text }], timestamp: Date.now() });
	}

	/** Tokens of the next request. */
	estimate(): number {
		return JSON.stringify(this.session.buildSessionProjection().messages).length / UNITS_A_TOKEN;
	}

	/** The model answers a request of so many tokens with one call, and the tool returns. */
	round(output: string, tokens = 1e6): void {
		const id = `call_bench_${this.#calls++}`;
		const message = {
			...assistant([{ type: "toolCall", id, name: "bash", arguments: { command: "npm test" } }], tokens, "toolUse"),
			timestamp: Date.now(),
		};
		this.emit("message_end", { message });
		this.session.appendMessage(message as never);
		this.session.appendMessage({
			role: "toolResult",
			toolCallId: id,
			toolName: "bash",
			content: [{ type: "text", text: output }],
			isError: false,
			timestamp: Date.now(),
		} as never);
	}

	/** A turn ends, and Pi takes what is to be persisted. */
	endTurn(): void {
		const boundary = this.emit("turn_end", { entries: [] }) as BoundaryResult | undefined;
		for (const draft of boundary?.entries ?? [])
			if (draft.type === "context_edit") this.session.appendContextEdit(draft.targetId, draft.replacement);
	}

	/** All but the newest answer is summed up. */
	compact(): void {
		this.session.appendCompaction("What was done so far.", this.session.getLeafId() ?? "", 180_000);
	}

	settle(): void {
		const message = { ...assistant([{ type: "text", text: "Done." }], 1e6, "stop"), timestamp: Date.now() };
		this.emit("message_end", { message });
		this.session.appendMessage(message as never);
		this.emit("agent_settled");
	}

	recall(params: object): Promise<unknown> {
		return this.#tools.get("zip_recall")!.execute("call", params, undefined, undefined, this.#ctx);
	}

	search(params: object): Promise<unknown> {
		return this.#tools.get("zip_search")!.execute("call", params, undefined, undefined, this.#ctx);
	}

	command(args: string): Promise<void> {
		return this.#commands.get("zip")!.handler(args, this.#ctx);
	}

	#api(): object {
		return {
			on: (name: string, handler: Handler) => {
				const handlers = this.#handlers.get(name) ?? [];
				this.#handlers.set(name, handlers);
				handlers.push(handler);
				return () => handlers.splice(handlers.indexOf(handler), 1);
			},
			registerTool: (tool: Tool & { name: string }) => this.#tools.set(tool.name, tool),
			registerCommand: (name: string, command: Command) => this.#commands.set(name, command),
			registerEntryRenderer() {},
			appendEntry: (type: string, data: unknown) => this.session.appendCustomEntry(type, data),
			getActiveTools: () => ["read", "bash", "edit", "grep", "zip_recall"],
			getAllTools: () => [],
			getCommands: () => [],
			getSettings: () => ({}),
		};
	}
}

function model(): object {
	return {
		id: MODEL,
		provider: PROVIDER,
		api: "anthropic-messages",
		contextWindow: 200_000,
		promptCache: { short: LIFETIME_SECONDS, long: LIFETIME_SECONDS },
		cost: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
	};
}

type Loose = Record<string, unknown>;

/** The request's body, as Pi writes it for Anthropic. */
export function anthropicBody(messages: readonly Message[]): object {
	const list: { role: string; content: Loose[] }[] = [];
	for (const message of messages as unknown as {
		role: string;
		content: Loose[];
		toolCallId: string;
		isError: boolean;
	}[]) {
		if (message.role === "user") list.push({ role: "user", content: message.content });
		else if (message.role === "assistant")
			list.push({ role: "assistant", content: message.content.map(assistantBlock) });
		else if (message.role === "toolResult") {
			const result = {
				type: "tool_result",
				tool_use_id: message.toolCallId,
				content: message.content.map(({ text }) => text).join("\n"),
				is_error: message.isError,
			};
			const last = list.at(-1);
			// Pi puts the results of one message's calls together.
			if (last?.content[0]?.type === "tool_result") last.content.push(result);
			else list.push({ role: "user", content: [result] });
		}
	}
	const mark = { cache_control: { type: "ephemeral" } };
	const last = list.at(-1)?.content;
	if (last) last[last.length - 1] = { ...last[last.length - 1], ...mark };
	const system = [{ type: "text", text: "You are a coding agent.", ...mark }];
	return { model: MODEL, max_tokens: 1000, system, tools: [{ name: "bash", ...mark }], messages: list };
}

function assistantBlock(block: Loose): Loose {
	if (block.type === "toolCall") return { type: "tool_use", id: block.id, name: block.name, input: block.arguments };
	if (block.type === "thinking")
		return { type: "thinking", thinking: block.thinking, signature: block.thinkingSignature };
	return { type: "text", text: block.text };
}
