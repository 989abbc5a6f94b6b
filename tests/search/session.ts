/**
 * A `zip_search` over a session given as entries, with the real module behind it, and the recall of what it finds.
 */

import assert from "node:assert/strict";
import type { ExtensionToolContext } from "@earendil-works/pi-coding-agent";
import { SessionManager } from "@earendil-works/pi-coding-agent";
import * as tui from "@earendil-works/pi-tui";
import { handleOf, Pattern, recallPage } from "../../src-ts/core.ts";
import { Originals } from "../../src-ts/recall/originals.ts";
import { recallTool } from "../../src-ts/recall.ts";
import { searchTool } from "../../src-ts/search.ts";

export type Arguments = Record<string, unknown>;

type Message = Parameters<SessionManager["appendMessage"]>[0];

/** A session in memory that is written like a script. */
export class Story {
	readonly manager = SessionManager.inMemory("/project");
	#calls = 0;
	#clock = 1_700_000_000_000;

	user(text: string): string {
		return this.#append({ role: "user", content: [{ type: "text", text }] });
	}

	/** An answer without calls. */
	says(text: string): string {
		return this.#append(this.#answer([{ type: "text", text }]));
	}

	/** A call with its result; gives the ids of both entries. */
	call(name: string, args: Arguments, output: string, isError = false): { call: string; result: string } {
		this.#calls += 1;
		const id = `call_${this.#calls}`;
		const call = this.#append(this.#answer([{ type: "toolCall", id, name, arguments: args }]));
		const content = [{ type: "text", text: output }];
		return { call, result: this.#append({ role: "toolResult", toolCallId: id, toolName: name, isError, content }) };
	}

	#answer(content: unknown[]): object {
		const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost: {} };
		return { role: "assistant", content, provider: "p", model: "m", api: "a", stopReason: "stop", usage };
	}

	#append(message: object): string {
		this.#clock += 1_000;
		return this.manager.appendMessage({ ...message, timestamp: this.#clock } as unknown as Message);
	}

	#context(): ExtensionToolContext {
		return { sessionManager: this.manager } as unknown as ExtensionToolContext;
	}

	async search(args: Arguments, signal?: AbortSignal): Promise<{ text: string; isError: boolean; total: number }> {
		const tool = searchTool({
			host: { tui },
			handleOf,
			pattern: (pattern, caseSensitive) => new Pattern(pattern, caseSensitive),
			isCarried: () => false,
			past: { search: async () => undefined },
		});
		const result = await tool.execute("call", args as never, signal, undefined, this.#context());
		const [block, ...more] = result.content;
		assert.ok(block?.type === "text" && more.length === 0);
		return {
			text: block.text,
			isError: (result as { isError?: boolean }).isError === true,
			total: result.details.total,
		};
	}

	/** Handles of the hits, in order. */
	async hits(args: Arguments): Promise<string[]> {
		return handlesIn((await this.search(args)).text);
	}

	/** The blocks that a recall answers with. */
	async recall(args: Arguments): Promise<string[]> {
		const originals = new Originals(handleOf);
		const find = (handle: string) => originals.find(this.manager, handle);
		const tool = recallTool({ host: { tui }, find, pager: recallPage });
		const result = await tool.execute("call", args as never, undefined, undefined, this.#context());
		return result.content.map((block) => (block.type === "text" ? block.text : block.type));
	}
}

export function handlesIn(text: string): string[] {
	return [...text.matchAll(/^([0-9a-z]{10}(?:\.\d+)?) lines? /gm)].map(([, handle]) => handle!);
}

export { handleOf };
