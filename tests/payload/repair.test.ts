/** The repair by example: golden bodies of each family, and bodies that are none of its business. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { repairPayload } from "../../src-ts/payload.ts";
import { findOrphans } from "./module.ts";

interface Case {
	name: string;
	before: object;
	/** The repaired body, or `same` where the very same object goes out. */
	after: object | "same";
}

const GOLDEN = new URL("../golden/payload/", import.meta.url);

for (const file of readdirSync(GOLDEN)) {
	const cases = JSON.parse(readFileSync(new URL(file, GOLDEN), "utf8")) as Case[];
	for (const { name, before, after } of cases) {
		test(`${file}: ${name}`, () => {
			deepFreeze(before);
			const repaired = repairPayload(before, findOrphans);
			assert.deepEqual(repaired, after === "same" ? undefined : after);
			if (repaired) assert.equal(repairPayload(repaired, findOrphans), undefined, "the repair is repeated");
		});
	}
}

test("what needs no repair is shared with the old body", () => {
	const kept = { role: "user", content: "go" };
	const config = { abort: new AbortController().signal };
	const before = { config, messages: [kept, { role: "tool", tool_call_id: "x", content: "lost" }] };
	const repaired = repairPayload(before, findOrphans) as typeof before;
	assert.equal(repaired.messages[0], kept);
	assert.equal(repaired.config, config);
});

const RESULT = { role: "user", content: [{ type: "tool_result", tool_use_id: "x", content: "lost" }] };
const TOOL = { role: "tool", tool_call_id: "x", content: "lost" };

/** Bodies that hold a lost result, or look like it, in a shape that is not known. */
const STRANGE: { [name: string]: unknown } = {
	"no body": undefined,
	"a null": null,
	"a text": "messages",
	"a list": [RESULT],
	"no conversation": { model: "m" },
	"an empty conversation": { messages: [] },
	"a conversation that is no list": { messages: { 0: RESULT } },
	"two conversations": { messages: [RESULT], input: [] },
	"Pi's own messages": {
		model: "m",
		context: { messages: [{ role: "toolResult", toolCallId: "x", content: [{ type: "text", text: "lost" }] }] },
	},
	"Pi's own roles": { messages: [{ role: "toolResult", toolCallId: "x", content: [] }] },
	"an unknown role": { messages: [RESULT, { role: "narrator", content: [] }] },
	"two families at once": { messages: [RESULT, TOOL] },
	"a role of the old function calls": { messages: [TOOL, { role: "function", name: "f", content: "lost" }] },
	"messages that are none": { messages: [null, RESULT] },
	"blocks that are none": { messages: [{ role: "user", content: [null, ...RESULT.content] }] },
	"an output without a call id": { input: [{ type: "function_call_output", output: "lost" }] },
	"a turn without a role": { contents: [{ parts: [{ functionResponse: { name: "f", response: {} } }] }] },
	"items that are none": { input: [null, 1, "text"], contents: null },
};

for (const [name, body] of Object.entries(STRANGE)) {
	test(`untouched: ${name}`, () => {
		assert.equal(repairPayload(deepFreeze(body), findOrphans), undefined);
	});
}

test("odd blocks beside a lost result do no harm", () => {
	const body = { messages: [RESULT, { role: "user", content: [null, 3, "x", {}] }, { role: "assistant" }] };
	const repaired = repairPayload(deepFreeze(body), findOrphans) as typeof body;
	assert.equal(repaired.messages[1], body.messages[1]);
	assert.equal(repaired.messages[0]?.content?.length, 2);
});

function deepFreeze<T>(value: T): T {
	if (typeof value === "object" && value !== null) for (const inner of Object.values(value)) deepFreeze(inner);
	return Object.freeze(value);
}
