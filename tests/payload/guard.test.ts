/** The guard that remembers the last request finds what the repair finds, in conversations that grow and change. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { PayloadGuard } from "../../src-ts/payload/guard.ts";
import { repairPayload } from "../../src-ts/payload.ts";
import { Random } from "../session/random.ts";
import { findOrphans } from "./module.ts";
import { sequenceOf } from "./sequences.ts";
import { serialisersOf } from "./serialisers.ts";

const SEED = 20261130;
const SEQUENCES = 300;
const KEYS = ["messages", "input", "contents"];

type Body = Record<string, unknown>;

for (const family of ["anthropic", "chat", "responses", "gemini", "bedrock"]) {
	test(`${family}: ${SEQUENCES} growing conversations, seed ${SEED}`, async () => {
		const serialisers = await serialisersOf(family);
		let [sound, repaired] = [0, 0];
		for (let number = 0; number < SEQUENCES; number += 1) {
			const serialiser = serialisers[number % serialisers.length]!;
			const random = new Random(SEED + number);
			const body = (await serialiser.serialise(sequenceOf(SEED + number, serialiser.origin))) as Body;
			const key = KEYS.find((name) => Array.isArray(body[name]))!;
			let list = body[key] as unknown[];
			const guard = new PayloadGuard(findOrphans);
			for (let length = 1; length <= list.length; length += 1 + random.below(4)) {
				// Now and then something goes from the middle, as another extension or Pi may do it.
				if (length > 2 && random.chance(0.1)) list = list.toSpliced(random.below(length - 2), 1);
				const request = structuredClone({ ...body, [key]: list.slice(0, length) });
				const expected = repairPayload(request, findOrphans);
				assert.deepEqual(
					guard.repair(request),
					expected,
					`${serialiser.name}, seed ${SEED + number}, ${length} messages`,
				);
				if (expected) repaired += 1;
				else sound += 1;
			}
		}
		assert.ok(sound > SEQUENCES && repaired > SEQUENCES / 10, `${sound} sound and ${repaired} repaired prove little`);
	});
}

test("after a call to forget, a message that was replaced in place is seen", () => {
	const guard = new PayloadGuard(findOrphans);
	const rounds = Array.from({ length: 200 }, (_, round) => [
		{ role: "assistant", content: [{ type: "tool_use", id: `c${round}`, name: "bash", input: {} }] },
		{ role: "user", content: [{ type: "tool_result", tool_use_id: `c${round}`, content: "done" }] },
	]);
	const messages: object[] = rounds.flat();
	assert.equal(guard.repair({ messages }), undefined);
	const calls = (at: number) => messages.with(at, { role: "assistant", content: [{ type: "text", text: "Hm." }] });
	for (let at = 0; at < messages.length; at += 2) {
		guard.forget();
		assert.ok(guard.repair({ messages: calls(at) }), `message ${at}`);
		assert.equal(guard.repair({ messages }), undefined);
	}
});
