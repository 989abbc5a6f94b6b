/** Faults that were found by trying to break the extension, each kept as a case. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { knownManager } from "../src-ts/coexistence.ts";
import { findOrphans } from "../src-ts/core.ts";
import { compactionOf } from "../src-ts/host.ts";
import { repairPayload } from "../src-ts/payload.ts";
import { answer } from "../src-ts/recall/answer.ts";
import { readRequest } from "../src-ts/recall/request.ts";
import { readSettings } from "../src-ts/settings.ts";

/** Characters of an answer to handles that nothing has. */
async function sizeOfAnswer(args: object): Promise<number> {
	const request = readRequest(args as Readonly<Record<string, unknown>>);
	assert.ok(!("refusal" in request));
	const { content, details } = await answer(
		request,
		() => ({ kind: "unknown", nearest: ["0123456789 (bash ls)"] }),
		never,
	);
	return JSON.stringify([content, details]).length;
}

function never(): never {
	throw new Error("nothing was found, so nothing is paged");
}

test("an answer to many unknown handles, or to a long word, stays short", async () => {
	const many = Array.from({ length: 5_000 }, (_, n) => `zz${String(n).padStart(8, "0")}`);
	assert.ok((await sizeOfAnswer({ handles: many })) < 5_000);
	assert.ok((await sizeOfAnswer({ handle: many.join(" ") })) < 5_000);
	assert.ok((await sizeOfAnswer({ handle: "word ".repeat(600) })) < 5_000);
	assert.ok((await sizeOfAnswer({ handle: "x".repeat(1_000_000) })) < 5_000);
});

test("a Responses body that leaves a part with the provider is not judged", () => {
	const output = { type: "function_call_output", call_id: "c", output: "text" };
	assert.notEqual(repairPayload({ input: [output] }, findOrphans), undefined);
	for (const body of [
		{ previous_response_id: "r", input: [output] },
		{ conversation: "c", input: [output] },
		{ input: [{ type: "item_reference", id: "i" }, output] },
	])
		assert.equal(repairPayload(body, findOrphans), undefined);
});

test("a window of any size gives a trigger that the core can hold", () => {
	const trigger = (contextWindow: number) =>
		compactionOf({} as never, { provider: "p", id: "m", contextWindow } as never).trigger;
	assert.equal(trigger(200_000.5), 183_616);
	assert.equal(trigger(1e10), 0xffff_ffff);
	assert.equal(trigger(1), undefined);
});

test("settings that are null or fractional change nothing", () => {
	const pi = { getAllTools: () => [], getCommands: () => [], getSettings: () => ({ packages: null }) };
	assert.equal(knownManager(pi as never), undefined);
	assert.equal(readSettings({ PI_ZIP_FOLD_MIN: "1.5" }).foldMin, 1);
});
