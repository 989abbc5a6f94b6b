/** One short session of planted facts; `npm run needles` climbs to long ones. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { needles } from "./needles/needles.ts";

const SEED = Number(process.env.PI_ZIP_TEST_SEED ?? 1);
const PROMPTS = 30;

test(`what is planted in ${PROMPTS} prompts is still to be had after folds and summaries, seed ${SEED}`, async (context) => {
	const found = await needles(SEED, PROMPTS);
	context.diagnostic(JSON.stringify(found));
	assert.ok(
		found.summaries >= 3 && found.folds > 0 && found.recalled > PROMPTS && found.verbatim > 0,
		JSON.stringify(found),
	);
});
