/** What stands in a summary, and in what the session keeps of how it came about, where the narrative makes it too long. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AssistantMessage, ExtensionContext, SessionEntry } from "../../src-ts/host.ts";
import { ModelChain } from "../../src-ts/models.ts";
import { type Request, write } from "../../src-ts/summary/summaries.ts";

const entry = (id: string, text: string) =>
	({
		type: "message",
		id,
		parentId: null,
		timestamp: "",
		message: { role: "user", content: text, timestamp: 0 },
	}) as SessionEntry;
const USAGE = {
	input: 10,
	output: 2,
	cacheRead: 90,
	cacheWrite: 0,
	totalTokens: 102,
	cost: { input: 1, output: 1, cacheRead: 1, cacheWrite: 0, total: 3 },
};
const FIXED = "\n## Requests\n[turn 1]\nMind the parser.\n";

/** A summary that replaces so many units, with a narrative of 700. */
async function written(units: number) {
	const narrative = "The parser. ".repeat(60).slice(0, 700);
	const answer = { role: "assistant", content: [{ type: "text", text: narrative }], stopReason: "stop", usage: USAGE };
	const request: Request = {
		range: { from: 0, until: 2, fresh: 0, units },
		fixed: FIXED,
		told: { outputs: 0, requests: 2, parts: [] },
		room: { fixed: 2_000, visible: 4_000, whole: undefined },
		roots: [],
		entries: ["00000001", "00000002", "00000003"].map((id) => entry(id, "Mind the parser.")),
		instructions: undefined,
		recallable: false,
		redacts: false,
		silent: undefined,
		chain: new ModelChain(() => []),
		extend: async () => answer as unknown as AssistantMessage,
	};
	return write(request, {} as ExtensionContext, new AbortController().signal);
}

test("the narrative stands in a summary that is smaller than what it replaces", async () => {
	const { summary, details } = await written(5_000);
	assert.deepEqual([details.path, details.reason, details.failed], ["cached", "written", undefined]);
	assert.ok(summary.includes("The parser. The parser."));
});

test("one that only its narrative makes too long goes without it, and what that cost is kept", async () => {
	const { summary, details, usage } = await written(750);
	assert.deepEqual([details.path, details.reason, details.failed], ["fixed part only", "not smaller", 1]);
	assert.ok(summary.includes("Mind the parser.") && !summary.includes("The parser. The parser."));
	assert.ok(summary.length < 750);
	assert.equal(usage?.cost.total, 3);
	assert.deepEqual([details.read, details.price, details.narrative], [90, 3, undefined]);
});
