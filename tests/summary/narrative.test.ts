/** Which answers of a model count as a narrative, and what is asked of it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AssistantMessage } from "../../src-ts/host.ts";
import { narrate, type Wanted } from "../../src-ts/summary/narrative.ts";

const WANTED: Wanted = { boundary: "", older: "", instructions: undefined, units: 1_000, most: 900 };
const USAGE = { input: 10, output: 2, cacheRead: 0, cacheWrite: 0, totalTokens: 12, cost: { total: 1 } };

const answered = (text: string, stopReason = "stop", more: object[] = []) =>
	({
		role: "assistant",
		content: [{ type: "text", text }, ...more],
		stopReason,
		usage: USAGE,
	}) as unknown as AssistantMessage;
const CALL = { type: "toolCall", id: "1", name: "bash", arguments: {} };

async function told(answers: AssistantMessage[], wanted: Partial<Wanted> = {}) {
	const asked: string[] = [];
	const narrative = (await narrate(
		async (instruction) => {
			asked.push(instruction);
			return answers[asked.length - 1]!;
		},
		{ ...WANTED, ...wanted },
	))!;
	return { ...narrative, asked };
}

const CASES: [what: string, first: AssistantMessage, refused: string][] = [
	["nothing", answered(" \n"), "empty"],
	["thinking alone", answered("", "stop", [{ type: "thinking", thinking: "hm" }]), "empty"],
	["a text that was cut off", answered("and then", "length"), "cut off"],
	["a text as long as what it replaces", answered("x".repeat(1_000)), "not smaller"],
	["a text for which there is no room", answered("x".repeat(950)), "too long"],
	["a call", answered("Let me see.", "toolUse", [CALL]), "asked for tools"],
	["a call and a full stop", answered("Let me see.", "stop", [CALL]), "asked for tools"],
	["an error", answered("", "error"), "the provider failed"],
];

for (const [what, first, refused] of CASES) {
	test(`${what} is refused, and asked for again as bullets`, async () => {
		const twice = await told([first, first]);
		assert.equal(twice.outcome, refused);
		assert.equal(twice.text, undefined);
		assert.deepEqual([twice.usage.length, twice.failed], [2, 2], "failed attempts count");
		const second = await told([first, answered("- done")]);
		assert.deepEqual([second.outcome, second.text], ["written at the second try", "- done"]);
		assert.deepEqual([second.usage.length, second.failed], [2, 1]);
		assert.match(second.asked[1] ?? "", /bullets/);
		assert.doesNotMatch(second.asked[0] ?? "", /bullets/);
	});
}

test("one that is stopped is not asked again", async () => {
	assert.equal((await told([answered("", "aborted")])).asked.length, 1);
});

test("as many words are asked for as there is room for, 600 at most", async () => {
	for (const [most, words] of [
		[Number.POSITIVE_INFINITY, 600],
		[100_000, 600],
		[1_600, 200],
	] as const) {
		const { asked } = await told([answered(""), answered("")], { most });
		for (const instruction of asked) assert.match(instruction, new RegExp(`at most ${words} words`));
	}
});

test("the instruction names what stays, what came before, and what the user wants", async () => {
	const plain = (await told([answered("done")])).asked[0] ?? "";
	assert.doesNotMatch(plain, /<older>|<stays>|The user asks/);
	const { asked, text } = await told([answered(" done ")], {
		boundary: `now the parser${"x".repeat(500)}`,
		older: "it began",
		instructions: "mind the API",
	});
	assert.equal(text, "done");
	assert.match(asked[0] ?? "", /<older>\nit began\n<\/older>/);
	assert.match(asked[0] ?? "", /<stays>\nnow the parserx{100,200}\n<\/stays>/);
	assert.match(asked[0] ?? "", /The user asks of this summary: mind the API/);
});
