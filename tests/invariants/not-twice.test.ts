/** I5: the request after an edited one is not edited anew: not in the same run, and not at the next prompt. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { clock } from "../world/clock.ts";
import { newFolds } from "../world/edits.ts";
import { LIFETIME } from "../world/model.ts";
import { inWorld } from "../world/pi.ts";
import { property } from "../world/seeds.ts";
import { task, taskPrompts } from "../world/tasks.ts";

property("I5 not twice", 8, { events: ["gap", "restart", "bash", "compact"] }, ({ requests }) => {
	let edited = 0;
	for (const [index, request] of requests.entries()) {
		const next = requests[index + 1];
		if (!next || newFolds(requests, index).length === 0) continue;
		edited += 1;
		// Where the edited request never arrived, or its cache expired again, the next one is a return of its own.
		if (request.ending === "offline" || next.at - request.at >= LIFETIME) continue;
		assert.deepEqual(newFolds(requests, index + 1), [], `request ${index + 1} follows an edited one`);
	}
	return edited;
});

test("I5 not twice: the prompt after a cold return, and the run of the return itself", async () => {
	await inWorld({}, async (world) => {
		await taskPrompts(world, 5);
		clock.advance(LIFETIME);
		await world.prompt("Back again.", task(10));
		await world.prompt("Go on.", task(11));
		const edited = world.requests.map((_, index) => newFolds(world.requests, index).length > 0);
		assert.equal(edited.indexOf(true), 10);
		assert.equal(edited.lastIndexOf(true), 10);
	});
});
