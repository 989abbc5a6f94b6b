/**
 * I1: what was in view keeps its bytes. Between two edits each request's messages begin the next one's, whether a plan
 * is carried or persisted, over restarts, failures and drafts of others.
 */

import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { clock } from "../world/clock.ts";
import { LIFETIME } from "../world/model.ts";
import { folds, inWorld, persisted, type Request, type World } from "../world/pi.ts";
import { FOLDED } from "../world/plain.ts";
import { property } from "../world/seeds.ts";
import { taskPrompts, testRun } from "../world/tasks.ts";
import { voiding } from "../world/voiding.ts";

/** Checks that `now` keeps what `before` showed, but for what it folds anew. Returns the messages compared. */
function continues(before: Request, now: Request): number {
	// After a move in the tree the model sees another branch.
	if (before.branch.some((id, index) => now.branch[index] !== id)) return 0;
	let compared = 0;
	for (const [index, message] of before.view.entries()) {
		// Where Pi's own view differs (a compaction, an edit of others), so does everything behind.
		if (before.plain[index] !== now.plain[index]) break;
		compared += 1;
		if (message === now.view[index]) continue;
		assert.ok(!message.includes(FOLDED) || message === before.plain[index], `what was folded changed: ${message}`);
		assert.ok(now.view[index]?.includes(FOLDED), `message ${index} changed: ${now.view[index]}`);
	}
	return compared;
}

property("I1 same bytes", 12, {}, ({ requests }) => {
	const texts = new Map<string, string>();
	let compared = 0;
	for (const [index, now] of requests.entries()) {
		const before = requests[index - 1];
		if (before) compared += continues(before, now);
		for (const [id, text] of folds(now)) {
			assert.equal(texts.get(id) ?? text, text, `entry ${id} got another placeholder`);
			texts.set(id, text);
		}
	}
	return texts.size > 0 ? compared : 0;
});

/** What the newest request carries stands on the branch, in the same words. */
function assertPersisted(world: World): void {
	const carried = folds(world.last);
	assert.ok(carried.size > 0, "nothing was folded");
	assert.deepEqual(persisted(world), carried);
}

test("I1 same bytes: what a run carries is persisted in the same words, answered, failed or aborted", async () => {
	for (const ending of ["answered", "failed", "offline", "aborted"] as const) {
		await inWorld({}, async (world) => {
			await taskPrompts(world, 4);
			clock.advance(LIFETIME);
			await world.prompt("Back again.", [{ text: "Here.", ending }]);
			assertPersisted(world);
			const folded = world.last;
			await world.restart();
			await world.prompt("Go on.", []);
			assert.equal(continues(folded, world.last), folded.view.length, ending);
			// The cache that no request has reached is as cold as before.
			assert.equal(world.last.untouched, ending !== "offline", ending);
		});
	}
});

test("I1 same bytes: drafts that Pi voids are carried until it takes them", async () => {
	const other = voiding();
	await inWorld({ behind: [other.factory] }, async (world) => {
		await taskPrompts(world, 4);
		clock.advance(LIFETIME);
		other.times = 2;
		await world.prompt("Back again.", [
			...[10, 11, 12].map((number) => ({ calls: [testRun(number)] })),
			{ text: "Done." },
		]);
		assert.equal(other.times, 0);
		const run = world.requests.slice(-4);
		assert.deepEqual(
			run.map(({ untouched }) => untouched),
			[false, false, false, true],
		);
		for (const [index, request] of run.entries()) if (index > 0) continues(run[index - 1]!, request);
		assertPersisted(world);
	});
});

test("I1 same bytes: voided to the end of the run, a plan is persisted before Pi rests, or in the next run", async () => {
	const other = voiding();
	await inWorld({ behind: [other.factory] }, async (world) => {
		other.times = Number.POSITIVE_INFINITY;
		await taskPrompts(world, 4);
		clock.advance(LIFETIME);
		await world.prompt("Back again.", [{ text: "Here." }]);
		const folded = world.last;
		assert.equal(persisted(world).size, 0);
		other.times = 0;
		await world.prompt("Go on.", [{ text: "Done." }]);
		assert.ok(continues(folded, world.last) >= folded.view.length);
		assert.equal(world.last.untouched, false);
		assertPersisted(world);
	});
});

/** What may become of the file of learned lifetimes. */
const HARMS: Record<string, (file: string) => void> = {
	lost: (file) => rmSync(file),
	torn: (file) => writeFileSync(file, '{"version": 3, "caches": {"scr'),
	"of a later version": (file) => writeFileSync(file, '{"version": 99}'),
	"read-only": (file) => chmodSync(file, 0o400),
	"no file at all": (file) => {
		rmSync(file);
		mkdirSync(file);
	},
};

for (const [what, harm] of Object.entries(HARMS)) {
	test(`I1 same bytes: what was folded stays as it was, the file of learned lifetimes being ${what}`, async () => {
		await inWorld({}, async (world) => {
			await taskPrompts(world, 8);
			clock.advance(60_000);
			await taskPrompts(world, 1, 20);
			clock.advance(LIFETIME);
			await taskPrompts(world, 2, 30);
			assert.ok(readFileSync(world.learned, "utf8").includes('"version": 3'), "something was learned");
			const before = world.last;
			assert.ok(folds(before).size > 0);
			harm(world.learned);
			await world.restart();
			clock.advance(60_000);
			await taskPrompts(world, 2, 40);
			const now = folds(world.last);
			for (const [id, text] of folds(before)) assert.equal(now.get(id), text);
			for (const [index, request] of world.requests.entries())
				if (index > 0) continues(world.requests[index - 1]!, request);
			assert.deepEqual(world.errors, []);
			assert.deepEqual(
				world.notices.filter((notice) => /failed/.test(notice)),
				[],
			);
		});
	});
}
