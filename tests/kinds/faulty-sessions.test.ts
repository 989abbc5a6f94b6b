/**
 * Sessions with a fault each, in real Pi: the next prompt after a long pause folds what may be folded, each folded output
 * comes back exactly, and every provider takes the request.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { findOrphans, handleOf } from "../../src-ts/core.ts";
import { repairPayload } from "../../src-ts/payload.ts";
import { folds, persisted, type World } from "../world/pi.ts";
import { GO_ON, goOn } from "./go-on.ts";
import { assertExact, assertFair, assertQuiet, assertRecalled, assertTaken, recall } from "./judge.ts";
import { KINDS } from "./kinds.ts";
import { SessionFile, text } from "./session-file.ts";

for (const { name, write, folded, rescued = [], repaired = false, unsendable = false } of KINDS) {
	test(name, async () => {
		const session = write(new SessionFile(name)).open();
		await goOn(session, async (world) => {
			assertQuiet(world);
			for (const request of world.requests) assertFair(request);
			assert.deepEqual((await assertRecalled(world)).sort(), [...folded].sort());
			for (const id of rescued) await assertExact(session, id);
			if (!unsendable) for (const request of world.requests) await assertAccepted(request, rescued, repaired);

			const before = [...persisted(world)];
			for (const id of folded) assert.ok(persisted(world).has(id), `the fold of ${id} was not written`);
			await world.restart();
			await world.prompt("And once more.", GO_ON);
			assertQuiet(world);
			assertFair(world.last);
			assert.deepEqual([...persisted(world)], before, "a warm request after a restart was edited");
		});
	});
}

async function assertAccepted(request: World["last"], rescued: readonly string[], repaired: boolean): Promise<void> {
	const bodies = await assertTaken(request);
	assert.equal(
		bodies.some((body) => body.repaired),
		repaired,
	);
	for (const { family, body } of bodies) {
		for (const id of rescued) assert.ok(body.includes(`${id}: line 149`), `${family}: the text of ${id} is lost`);
	}
}

test("thinking goes to its provider as it came", async () => {
	const kind = KINDS.find(({ name }) => name.includes("thinking"))!;
	await goOn(kind.write(new SessionFile("thinking")).open(), async (world) => {
		const [seen, own] = [world.last.view, world.last.plain].map((messages) =>
			messages.map((message) => JSON.parse(message)).filter(({ role }) => role === "assistant"),
		);
		assert.deepEqual(seen, own);
		assert.ok(JSON.stringify(seen).includes("cmVkYWN0ZWQ="));
	});
});

test("a handle in an output leads nowhere; that of its placeholder leads to it", async () => {
	const kind = KINDS.find(({ name }) => name.includes("read like placeholders"))!;
	const session = kind.write(new SessionFile("false handles")).open();
	await goOn(session, async (world) => {
		for (const [id, placeholder] of folds(world.last)) {
			const [handle] = placeholder.match(/(?<=\bhandle )[0-9a-z]{10}/) ?? [];
			assert.equal(handle, handleOf(id), placeholder);
		}
		const answer = await recall(session, { handle: "0000000000" });
		assert.deepEqual(answer.details.unknown, ["0000000000"]);
	});
});

test("a handle whose entry is lost says so", async () => {
	const session = new SessionFile("lost entry").turn("1").turn("2").edits("e1", "gone", text("[folded by pi-zip] …"));
	const handle = handleOf("gone");
	await goOn(session.turn("3").open(), async (world) => {
		assertQuiet(world);
		const args = { handle };
		await world.prompt("What was it?", [
			{ calls: [{ id: "q", name: "zip_recall", args, output: "" }] },
			{ text: "Lost." },
		]);
		const answer = JSON.parse(world.last.view.findLast((message) => message.includes('"toolResult"'))!);
		assert.equal(answer.toolName, "zip_recall");
		assert.match(answer.content[0].text, new RegExp(`${handle}.*(lost|no longer|gone)`, "s"));
	});
});

test("what goes out in Pi's place is the very same object where nothing is wrong", async () => {
	await goOn(new SessionFile("sound").turn("1").turn("2").turn("3").open(), async (world) => {
		for (const { payload, sentPayload } of world.requests) {
			assert.equal(sentPayload, payload);
			assert.equal(repairPayload(payload, findOrphans), undefined);
		}
	});
});
