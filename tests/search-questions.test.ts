/** Ranked search answers planted questions, and does so better than looking for the words as they are written. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { partsOf } from "../src-ts/recall/parts.ts";
import { plant, type Question, randomFrom } from "./search/questions.ts";
import { handleOf, Story } from "./search/session.ts";

const QUESTIONS = 60;
/** Hits that a model looks at. */
const LOOKED_AT = 3;
const WANTED = 0.9;

/** The newest entries that hold the words. */
function bySubstring(story: Story, { substring }: Question): string[] {
	const holding = story.manager
		.getBranch()
		.filter((entry) => partsOf(entry).some(({ text }) => text.includes(substring)));
	return holding.reverse().map(({ id }) => handleOf(id));
}

test("the right entry is among the first three for nine questions of ten", async (t) => {
	const seed = Number(process.env.PI_ZIP_SEED ?? Math.floor(Math.random() * 2 ** 31));
	const story = new Story();
	const questions = plant(story, QUESTIONS, randomFrom(seed));
	const found = new Map<string, [ranked: number, plain: number, asked: number]>();
	const missed: string[] = [];
	for (const question of questions) {
		const right = new Set(question.right.map(handleOf));
		const isFound = (hits: string[]) => hits.slice(0, LOOKED_AT).some((hit) => right.has(hit.split(".")[0] ?? ""));
		const [ranked, plain] = [
			isFound(await story.hits({ query: question.query })),
			isFound(bySubstring(story, question)),
		];
		const [one, two, all] = found.get(question.kind) ?? [0, 0, 0];
		found.set(question.kind, [one + Number(ranked), two + Number(plain), all + 1]);
		if (!ranked) missed.push(question.query);
	}
	const sum = (at: 0 | 1 | 2) => [...found.values()].reduce((total, counts) => total + counts[at], 0);
	t.diagnostic(
		`seed ${seed}: in the first ${LOOKED_AT}, ranked ${sum(0)}, substring by newest ${sum(1)}, of ${sum(2)}`,
	);
	for (const [kind, [ranked, plain, all]] of found) t.diagnostic(`  ${kind}: ${ranked}, ${plain} of ${all}`);
	assert.ok(sum(0) >= WANTED * sum(2), `seed ${seed}: missed\n${missed.join("\n")}`);
});
