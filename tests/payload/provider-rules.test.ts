/**
 * Seeded sequences of messages through Pi's real serialisers: what goes out after the repair is taken by a validator of
 * the provider's rules, what was fine goes out as the very same object, and nothing of a result is lost.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { repairPayload } from "../../src-ts/payload.ts";
import { findOrphans } from "./module.ts";
import { sequenceOf } from "./sequences.ts";
import { FAMILIES, type Serialiser, serialisersOf } from "./serialisers.ts";
import { validateAnthropic } from "./validators/anthropic.ts";
import { validateBedrock } from "./validators/bedrock.ts";
import { validateChat, validateStrictChat } from "./validators/chat.ts";
import { validateGemini } from "./validators/gemini.ts";
import { validateResponses } from "./validators/responses.ts";
import type { Validator } from "./validators/validator.ts";

const SEQUENCES = 2_000;
/** A day's number by default, so that each run sees the same; any other by the environment. */
const SEED = Number(process.env.PI_ZIP_TEST_SEED ?? 20_261_130);

const VALIDATORS: { [family: string]: Validator } = {
	anthropic: validateAnthropic,
	bedrock: validateBedrock,
	chat: validateChat,
	gemini: validateGemini,
	responses: validateResponses,
};

/** Sequences that go all the way to a stubbed transport, for each serialiser. */
const SENT = 40;

for (const family of FAMILIES) {
	test(`${family}: ${SEQUENCES} sequences, seed ${SEED}`, async (context) => {
		const serialisers = await serialisersOf(family);
		let faulty = 0;
		for (let number = 0; number < SEQUENCES; number += 1) {
			const serialiser = serialisers[number % serialisers.length]!;
			if (await judge(family, serialiser, SEED + number)) faulty += 1;
		}
		context.diagnostic(`seed ${SEED}: ${faulty} of ${SEQUENCES} bodies were refused before the repair`);
		assert.ok(faulty > SEQUENCES / 10 && faulty < SEQUENCES, `${faulty} faulty bodies prove little`);
	});
}

for (const family of FAMILIES) {
	test(`${family}: what reaches the provider, ${SENT} sequences a serialiser, seed ${SEED}`, async () => {
		let repairs = 0;
		const repair = (body: unknown) => {
			const repaired = repairPayload(body, findOrphans);
			if (repaired !== undefined) repairs += 1;
			return repaired;
		};
		for (const serialiser of await serialisersOf(family)) {
			for (let number = 0; number < SENT; number += 1) {
				const sent = await serialiser.send(sequenceOf(SEED + number, serialiser.origin), repair);
				assert.deepEqual(validatorOf(family, serialiser)(sent), [], `${serialiser.name}, seed ${SEED + number}`);
			}
		}
		assert.ok(repairs > SENT / 10, `${repairs} repairs prove little`);
	});
}

function validatorOf(family: string, serialiser: Serialiser): Validator {
	return serialiser.name.includes("strict") ? validateStrictChat : VALIDATORS[family]!;
}

/** Whether the body was one that the provider refuses. */
async function judge(family: string, serialiser: Serialiser, seed: number): Promise<boolean> {
	const where = `${serialiser.name}, seed ${seed}`;
	const validate = validatorOf(family, serialiser);
	const body = await serialiser.serialise(sequenceOf(seed, serialiser.origin));
	const before = structuredClone(body);
	const complaints = validate(body);
	const repaired = repairPayload(body, findOrphans);
	assert.deepEqual(body, before, `${where}: the body was changed in place`);
	if (complaints.length === 0) {
		assert.equal(repaired, undefined, `${where}: a sound body was rewritten`);
		return false;
	}
	assert.ok(repaired, `${where}: left as it was, though ${complaints.join("; ")}`);
	assert.deepEqual(validate(repaired), [], `${where}: refused after the repair of ${complaints.join("; ")}`);
	assert.equal(repairPayload(repaired, findOrphans), undefined, `${where}: a second repair finds something`);
	assert.deepEqual(marksOf(repaired), marksOf(body), `${where}: text or images lost`);
	assert.deepEqual(spokenBy(repaired), spokenBy(body), `${where}: an answer of the model was changed`);
	return true;
}

/** All marks that the sequence put into texts and images, in any order. */
function marksOf(body: unknown): string[] {
	const bytes = (_key: string, value: unknown) =>
		value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value;
	return (JSON.stringify(body, bytes).match(/<mark \d+>|5CYII=\d{8}|HMNk\d{8}|42mNk\d{8}/g) ?? []).sort();
}

/** What the model said, bridges that answer nothing aside. */
function spokenBy(body: unknown): unknown[] {
	const { messages, contents, input } = body as { [list: string]: Item[] | undefined };
	const isModel = (item: Item) => item.role === "assistant" || item.role === "model" || item.type === "reasoning";
	const isBridge = (item: Item) => item.content === "I have processed the tool results.";
	return (messages ?? contents ?? input ?? []).filter((item) => isModel(item) && !isBridge(item));
}

interface Item {
	role?: string;
	type?: string;
	content?: unknown;
}
