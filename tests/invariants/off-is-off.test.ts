/**
 * I9: with `/zip off` the very list and body that Pi made go out, whatever happens, also after a restart; what was
 * folded before stays, since its edits are entries of the session.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { clock } from "../world/clock.ts";
import { LIFETIME } from "../world/model.ts";
import { folds, inWorld } from "../world/pi.ts";
import { property } from "../world/seeds.ts";
import { task, taskPrompts, withOrphan } from "../world/tasks.ts";

property(
	"I9 off is off",
	8,
	{
		meddled: false,
		async each(world, happened) {
			if (happened === "prompt" && world.requests.length > 6) await world.command("/zip off");
		},
	},
	({ requests, notices }) => {
		const from = requests.findIndex(({ first }, index) => first && index > 6);
		const after = requests.slice(from);
		for (const [index, { view, seen, untouched }] of after.entries()) {
			assert.ok(untouched, `request ${index} after /zip off was touched`);
			assert.deepEqual(view, seen);
		}
		const offAt = notices.findIndex((notice) => notice.startsWith("pi-zip · off"));
		assert.ok(notices.slice(offAt).every((notice) => !notice.includes(" folded · ")));
		return from < 0 ? 0 : after.length;
	},
);

test("I9 off is off: over a restart, with earlier folds in place; on again folds", async () => {
	await inWorld({}, async (world) => {
		await taskPrompts(world, 4);
		clock.advance(LIFETIME);
		await world.prompt("Back again.", task(10));
		const folded = folds(world.last);
		assert.ok(folded.size > 0);
		await world.command("/zip off");
		await world.restart();
		clock.advance(LIFETIME);
		await world.prompt("Back once more.", task(11));
		assert.ok(world.requests.slice(-2).every(({ untouched }) => untouched));
		assert.deepEqual(folds(world.last), folded);
		await world.command("/zip on");
		clock.advance(LIFETIME);
		await world.prompt("And again.", task(12));
		assert.ok(folds(world.last).size > folded.size);
	});
});

test("I9 off is off: a result that lost its call goes out as Pi sends it", async () => {
	await inWorld({ session: withOrphan() }, async (world) => {
		await world.prompt("Go on.", []);
		assert.equal(world.last.untouched, false);
		await world.command("/zip off");
		await world.prompt("Go on.", []);
		assert.equal(world.last.untouched, true);
	});
});
