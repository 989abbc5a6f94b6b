/** Summaries as a tree: what is condensed, what is shown of it, and that none is lost. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { handleOf } from "../../src-ts/core.ts";
import type { SessionEntry } from "../../src-ts/host.ts";
import { type Room, roomFor, roomForNarrative, type Tale, tell } from "../../src-ts/summary/levels.ts";
import {
	leavesOf,
	MOST_CHILDREN,
	MOST_DEPTH,
	rootsIn,
	type Summary,
	wholeOf,
	withId,
} from "../../src-ts/summary/tree.ts";
import { Random } from "../session/random.ts";

/** A branch of one entry for each summary, and the summaries behind it. */
class Told {
	readonly entries: SessionEntry[] = [];
	#summed = 0;

	add(narrative: string, visible: number): Tale {
		return this.tell(narrative, { fixed: 0, visible, whole: undefined }, "");
	}

	/** `beside`: what of the summary stands around the tale. */
	tell(narrative: string, room: Room, beside: string): Tale {
		const id = `e${this.entries.length}`;
		this.#push({ type: "message", id, message: { role: "toolResult", toolName: "bash", content: [] } });
		const tale = tell({
			roots: this.roots,
			entries: this.entries,
			fresh: this.#summed,
			narrative,
			room,
			beside: beside.length,
			derive: handleOf,
			except: "zip_recall",
		});
		const { levels, narrative: span } = tale;
		// In front of it nothing stands here, so that its places are those in the summary.
		const terse = levels.terse?.map((at) => at + span[0]);
		const details = JSON.parse(
			JSON.stringify({ by: "pi-zip", first: "e0", last: id, narrative: span, levels: { ...levels, terse } }),
		);
		this.#summed = this.entries.length;
		this.#push({ type: "compaction", id: `c${this.entries.length}`, summary: tale.text + beside, details });
		return tale;
	}

	get roots(): Summary[] {
		return rootsIn(this.entries, handleOf);
	}

	#push(entry: object): void {
		this.entries.push(entry as SessionEntry);
	}
}

const LINE =
	/^\[summary (\w{10}), depth (\d), entries (\w+) to (\w+), (?:no handles|handle \w{10}|\d+ handles from \w{10} to \w{10})\]$/gm;

const told = (n: number, words = 50) =>
	`### In short\nStep ${n} in short.\n\n### Decisions and why\n${`decision ${n} `.repeat(words)}`.trimEnd();

test("each summary is found under the visible ones, in order, each once, with the text that was written for it", () => {
	for (let seed = 1; seed <= 30; seed += 1) {
		const random = new Random(seed);
		const session = new Told();
		const texts: string[] = [];
		const visible = 300 + random.below(4_000);
		for (let n = 0; n < 60; n += 1) {
			texts.push(random.chance(0.1) ? "" : told(n, random.below(120)));
			const { text } = session.add(texts[n]!, visible);
			const leaves = session.roots.flatMap(leavesOf);
			assert.deepEqual(
				leaves.map(({ thorough }) => thorough),
				texts,
				`seed ${seed}`,
			);
			for (const root of session.roots) assert.ok(isSound(root), `seed ${seed}: ${JSON.stringify(root)}`);
			const lines = [...text.matchAll(LINE)].map(([, id]) => id);
			assert.deepEqual(
				lines,
				session.roots.map(({ id }) => id),
				`seed ${seed}: each visible summary begins with its line`,
			);
			assert.ok(text.endsWith(texts[n]!), "the newest is shown whole");
		}
	}
});

function isSound({ depth, children }: Summary): boolean {
	if (children.length === 0) return depth === 1;
	const fits = children.length >= 2 && children.length <= MOST_CHILDREN && depth <= MOST_DEPTH;
	return fits && children.every((child) => child.depth === depth - 1 && isSound(child));
}

test("while all fit they stand side by side; else the oldest of equal depth go under one, by their terse texts", () => {
	const session = new Told();
	for (let n = 0; n < 4; n += 1) session.add(told(n), 4_000);
	assert.deepEqual(
		session.roots.map(({ depth }) => depth),
		[1, 1, 1, 1],
	);
	const { text } = session.add(told(4), 3_000);
	const [parent, newest] = session.roots;
	assert.equal(parent?.depth, 2);
	assert.equal(newest?.depth, 1);
	for (const [n, child] of parent.children.entries()) {
		assert.ok(text.includes(`\n- ${child.id}: Step ${n} in short.`), text);
		assert.ok(!text.includes(`decision ${n} `));
	}
	assert.ok(parent.thorough.length <= MOST_CHILDREN * 700);
});

test("of one without a terse text the tail is kept, of one without a text that it has none", () => {
	const session = new Told();
	session.add(`${"x".repeat(5_000)} and so it ended`, 5_100);
	session.add("", 5_100);
	const { text } = session.add(told(2), 2_000);
	assert.match(text, /\n- \w{10}: …x+ and so it ended\n- \w{10}: without a narrative\n/);
	assert.ok(text.length <= 2_000);
});

test("where there is no room at all, a line with 200 characters stands for each", () => {
	const session = new Told();
	session.add(told(0, 500), 9_000);
	const { text } = session.add(told(1, 500), 100);
	assert.match(text, /^\[summary .*\]\nStep 0 in short\.\n\n\[summary /);
	const bare = new Told();
	bare.add("y".repeat(900), 9_000);
	assert.match(bare.add("z", 100).text, /^\[summary .*\]\ny{199}…\n\n\[summary /);
});

test("a hundred summaries take no more room than the visible ones may, and all are found by their ids", () => {
	const session = new Told();
	let most = 0;
	for (let n = 0; n < 100; n += 1) most = Math.max(most, session.add(told(n), 6_000).text.length);
	assert.ok(most <= 6_000, `${most} units`);
	const newest = session.entries.at(-1)!;
	const whole = wholeOf(newest, session.entries.slice(0, -1), handleOf)!;
	assert.equal(leavesOf(whole).length, 100);
	for (const leaf of leavesOf(whole)) assert.equal(withId(leaf.id, whole)?.thorough, leaf.thorough);
	assert.equal(new Set(leavesOf(whole).map(({ id }) => id)).size, 100);
});

test("details from other hands are taken for what they can be", () => {
	const base = { type: "compaction", id: "c", summary: "text" };
	for (const details of [
		undefined,
		null,
		{},
		{ by: "pi-zip" },
		{ by: "pi-zip", first: 1, last: "b" },
		{ by: "other", first: "a", last: "b" },
	]) {
		assert.deepEqual(rootsIn([{ ...base, details } as unknown as SessionEntry], handleOf), []);
	}
	const odd = { by: "pi-zip", first: "a", last: "b", narrative: [0, 1e9] };
	for (const levels of [undefined, 1, { condensed: [[0, 2], 3, ["x", "y"], [-1, 1e9], [0, Number.NaN]], terse: "x" }]) {
		const [root, ...others] = rootsIn([{ ...base, details: { ...odd, levels } } as unknown as SessionEntry], handleOf);
		assert.equal(others.length, 0);
		assert.equal(root?.thorough, "text");
	}
});

test("a later summary may be one and a half times as long as the first, however much it replaces", () => {
	const first = (units: number) =>
		({ type: "compaction", summary: "x".repeat(units), details: { by: "pi-zip" } }) as unknown as SessionEntry;
	assert.deepEqual(roomFor([], 40_000, 1e6), { fixed: 26_666, visible: 16_000, whole: undefined });
	assert.equal(roomFor([first(20_000)], 40_000, 200_000).whole, 30_000);
	assert.equal(roomFor([first(20_000)], 40_000, 200_000).fixed, 20_500);
	assert.equal(roomFor([first(20_000)], 40_000, 800_000).whole, 30_000);
	assert.equal(roomFor([first(100)], 40_000, 800_000).whole, 3_000);
});

test("of ten summaries none is longer than one and a half times the first", () => {
	for (let seed = 1; seed <= 200; seed += 1) {
		const random = new Random(seed);
		const session = new Told();
		const lengths: number[] = [];
		for (let n = 0; n < 10; n += 1) {
			const room = roomFor(session.entries, 40_000, 4_000 * 2 ** random.below(9));
			const beside = "f".repeat(300 + random.below(room.fixed + 1));
			const most = Math.min(8_000, roomForNarrative(room, beside.length));
			const narrative = random.chance(0.1) ? "" : told(n, 800).slice(0, random.below(most + 1));
			lengths.push(session.tell(narrative, room, beside).text.length + beside.length);
		}
		const bound = Math.max(3_000, 1.5 * lengths[0]!);
		assert.ok(Math.max(...lengths) <= bound, `seed ${seed}: ${lengths}`);
	}
});
