/** The index of words changes how long a ranked search takes, never what it finds. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { Idle } from "../src-ts/idle.ts";
import type { Part } from "../src-ts/recall/parts.ts";
import type { Document } from "../src-ts/search/documents.ts";
import { Indexing } from "../src-ts/search/indexing.ts";
import { readSearch } from "../src-ts/search/request.ts";
import { type Found, scan } from "../src-ts/search/scan.ts";
import { WordIndex } from "../src-ts/search/word-index.ts";
import { Random } from "./session/random.ts";

const ROUNDS = 150;
const PIECES = [
	"ab",
	"Ab",
	"AB",
	"price",
	"Price",
	"PRICE",
	"4",
	"42",
	"x",
	"Ä",
	"ß",
	"error",
	"tests",
	"İ",
	"日本",
	"a".repeat(70),
];
const MARKS = ["", "", "_", "-", ".", "/", ":", " ", " ", "\n", "(", "😀", "\ud800", '"'];
const QUERIES = [
	"ab",
	"price",
	"abPrice",
	"ab_price",
	"price42",
	"42",
	"src/ab",
	'"ab price"',
	"tests",
	"test",
	"ä",
	"a.b",
	"errors failed",
	"日本",
	"x:4",
	"İ",
	"zzz",
];

function randomText(random: Random): string {
	let text = "";
	for (let length = random.below(30); length > 0; length -= 1) text += random.pick(PIECES) + random.pick(MARKS);
	return text;
}

function documentsOf(texts: readonly string[]): Document[] {
	return texts.map((text, index) => ({
		entry: { type: "message", id: `${index}` },
		part: { role: "tool", tool: "bash", label: "", text } as Part,
		index: 0,
		turn: 1,
		isLeft: false,
		hasFailed: index % 5 === 0,
	}));
}

function find(documents: readonly Document[], query: string, words?: WordIndex, limit = 50): Promise<Found> {
	const request = readSearch({ query, limit });
	assert.ok(!("refusal" in request));
	const pattern = () => assert.fail("no pattern was asked for");
	return scan(documents, request, { pattern, now: () => 0, pause: async () => {}, words });
}

const scores = ({ hits }: Found) =>
	hits.map(({ document, score }) => [document.entry.id, Number(score.toPrecision(4))]);
const byId = (all: (string | number)[][]) => all.sort(([one], [other]) => Number(one) - Number(other));

test("a search finds the same with an index, with one of some of the texts, and without", async () => {
	const seed = Number(process.env.PI_ZIP_SEED ?? Math.floor(Math.random() * 2 ** 31));
	const random = new Random(seed);
	for (let round = 0; round < ROUNDS; round += 1) {
		const documents = documentsOf(Array.from({ length: 1 + random.below(40) }, () => randomText(random)));
		const query = [random.pick(QUERIES), ...(random.chance(0.5) ? [random.pick(QUERIES)] : [])].join(" ");
		const without = await find(documents, query);
		for (const share of [1, 0.5]) {
			const words = new WordIndex();
			for (const { part } of documents) if (random.chance(share)) words.add(part);
			const found = await find(documents, query, words);
			assert.equal(found.total, without.total, `seed ${seed}, round ${round}: ${query}`);
			assert.deepEqual(byId(scores(found)), byId(scores(without)), `seed ${seed}, round ${round}: ${query}`);
		}
	}
});

test("what cannot come among the best is not read by lines, and the best are the same", async () => {
	const seed = Number(process.env.PI_ZIP_SEED ?? Math.floor(Math.random() * 2 ** 31));
	const random = new Random(seed);
	const documents = documentsOf(Array.from({ length: 60 }, () => randomText(random)));
	for (const query of QUERIES) {
		const all = await find(documents, query);
		const few = await find(documents, query, undefined, 5);
		assert.deepEqual(
			few.hits.map(({ score }) => score),
			all.hits.slice(0, 5).map(({ score }) => score),
			`seed ${seed}: ${query}`,
		);
	}
});

test("an index of many texts takes less than three tenths of their size, and takes no more in where it would not", () => {
	const random = new Random(7);
	const words = new WordIndex();
	const text = () => Array.from({ length: 3_000 }, () => `${random.pick(PIECES)}${random.below(20)}`).join(" ");
	for (let n = 0; n < 400; n += 1) words.add({ role: "tool", tool: "", label: "", text: text() });
	assert.ok(words.size > 8_000_000, `${words.size}`);
	assert.ok(words.bytes < 0.3 * words.size, `${words.bytes} of ${words.size}`);
	let taken = 0;
	const hostile = () => Array.from({ length: 3_000 }, () => `k${random.next()}`).join(" ");
	while (taken < 2_000 && words.add({ role: "tool", tool: "", label: "", text: hostile() })) taken += 1;
	assert.ok(taken < 2_000, "texts whose every word is new fill it");
});

const sizeOf = ({ index }: Indexing) => index?.size;
const entry = (text: string) => ({ type: "message", message: { role: "user", content: text } });

test("the index is built while the session is idle, goes on with what is new, and ends with it", async () => {
	const entries = [entry("small")];
	const session = { getEntries: () => entries };
	const indexing = new Indexing();
	const idle = new Idle<typeof session>([(session, until) => indexing.work(session, until)]);
	const settle = async (isDone: () => boolean) => {
		idle.begin(session);
		for (let left = 500; left > 0 && !isDone(); left -= 1) await wait(20);
		assert.ok(isDone());
	};
	idle.begin(session);
	await wait(100);
	assert.equal(indexing.index, undefined, "a small session needs none");
	const large = "some words of work\n".repeat(50_000);
	for (let n = 0; n < 5; n += 1) entries.push(entry(large));
	await settle(() => sizeOf(indexing) === 5 * large.length + 5);
	entries.push(entry("more"));
	await settle(() => sizeOf(indexing) === 5 * large.length + 9);
	entries.push(entry("again"));
	idle.begin(session);
	idle.rest();
	await wait(100);
	assert.equal(sizeOf(indexing), 5 * large.length + 9, "nothing is done while somebody works");
	indexing.close();
	idle.begin(session);
	await wait(100);
	assert.equal(indexing.index, undefined);
	idle.close();
});
