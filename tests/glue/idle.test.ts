/** Work while nothing else is to be done. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { Idle } from "../../src-ts/idle.ts";

/** Waits until something holds, and fails where it never does. */
async function settle(isDone: () => boolean): Promise<void> {
	for (let left = 500; left > 0 && !isDone(); left -= 1) await wait(10);
	assert.ok(isDone());
}

test("jobs are done one after the other, in as many slices as they take", async () => {
	const done: string[] = [];
	const job = (name: string, slices: number) => () => done.push(name) % slices !== 0;
	const idle = new Idle<object>([job("one", 3), job("two", 5)]);
	idle.begin({});
	await settle(() => done.length === 5);
	assert.deepEqual(done, ["one", "one", "one", "two", "two"]);
});

test("a job that fails is not tried again, and the others go on", async () => {
	let [tried, done] = [0, 0];
	const failing = () => {
		tried += 1;
		throw new Error("gone");
	};
	const idle = new Idle<object>([failing, () => ++done % 2 === 1]);
	idle.begin({});
	await settle(() => done === 2);
	idle.begin({});
	await settle(() => done === 4);
	assert.equal(tried, 1);
});

test("nothing is done while somebody works, nor behind the session's end", async () => {
	let done = 0;
	const idle = new Idle<object>([() => ++done > 0]);
	idle.begin({});
	await settle(() => done > 0);
	idle.rest();
	const seen = done;
	await wait(100);
	assert.equal(done, seen);
	idle.close();
	idle.begin({});
	await wait(100);
	assert.equal(done, seen);
});
