/** Messages and projections for tests of single modules, in few words. */

import type { SessionProjection } from "@earendil-works/pi-coding-agent";
import type { Message } from "../../src-ts/host.ts";

const ZERO = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 };

export function user(at: number, text = "a prompt"): Message {
	return { role: "user", content: text, timestamp: at };
}

export function answer(at: number, text: string, ...calls: string[]): Message {
	return {
		role: "assistant",
		content: [
			{ type: "text", text },
			...calls.map((id) => ({ type: "toolCall" as const, id, name: "bash", arguments: {} })),
		],
		api: "a",
		provider: "p",
		model: "m",
		usage: { ...ZERO, cost: { ...ZERO, total: 0 } },
		stopReason: "stop",
		timestamp: at,
	};
}

export function result(at: number, id: string, ...texts: string[]): Message & { role: "toolResult" } {
	return {
		role: "toolResult",
		toolCallId: id,
		toolName: "bash",
		content: texts.map((text) => ({ type: "text", text })),
		isError: false,
		timestamp: at,
	};
}

/** A projection in which each message has an entry of its own: `e0`, `e1` and so on. */
export function projection(messages: readonly Message[]): SessionProjection {
	const entries = messages.map((message, index) => ({
		sourceEntry: { type: "message", id: `e${index}`, parentId: null, timestamp: "", message },
		messages: [message],
	}));
	return { entries, messages: [...messages] } as unknown as SessionProjection;
}
