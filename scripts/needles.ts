// Plants facts in ever longer sessions and looks for them after folds, summaries and compactions in real Pi, in this process:
// `npm run needles` climbs a ladder of lengths, `npm run needles -- SEED PROMPTS ...` takes other seeds and lengths. It ends
// at the first fact that is neither to be had nor counted as left out, and says the seed.

import { needles } from "../tests/needles/needles.ts";

/** Prompts of each session; each brings some 4,000 tokens. */
const LADDER = [20, 40, 80, 160, 320];

const [seed = 1, ...given] = process.argv.slice(2).map(Number);
const lengths = given.length > 0 ? given : LADDER;

console.log("seed  prompts  summaries  folds  recalled  verbatim  counted  newest summary");
for (const [rung, prompts] of lengths.entries()) {
	try {
		const found = await needles(seed + rung, prompts);
		const { summaries, folds, recalled, verbatim, counted, units } = found;
		const cells = [seed + rung, prompts, summaries, folds, recalled, verbatim, counted];
		const widths = [4, 7, 9, 5, 8, 8, 7];
		console.log(`${cells.map((cell, at) => String(cell).padStart(widths[at] ?? 0)).join("  ")}  ${units} characters`);
	} catch (error) {
		console.error(`seed ${seed + rung}, ${prompts} prompts:`, error);
		process.exitCode = 1;
		break;
	}
}
