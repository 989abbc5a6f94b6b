/**
 * I10: nothing of ours keeps the process alive, writes to its output, opens a connection, or acts after its session has
 * ended.
 */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { clock } from "../world/clock.ts";
import { LIFETIME } from "../world/model.ts";
import { inWorld } from "../world/pi.ts";
import { task, taskPrompts } from "../world/tasks.ts";

/** A process that is still there after this is held by something, in milliseconds. */
const HELD = 120_000;

for (const mode of ["print", "rpc"]) {
	for (const ending of ["stopped", "left alone"]) {
		test(`I10 quiet exit: a process in ${mode} mode ends by itself, its session ${ending}`, () => {
			const child = join(import.meta.dirname, "children/day.ts");
			const { NODE_TEST_CONTEXT: _, ...env } = process.env;
			const { status, signal, stdout, stderr } = spawnSync(process.execPath, [child, mode, ending], {
				env,
				encoding: "utf8",
				timeout: HELD,
			});
			assert.equal(signal, null, "the process had to be ended");
			assert.deepEqual({ status, stdout }, { status: 0, stdout: "done\n" }, stderr);
		});
	}
}

test("I10 quiet exit: after its session an instance touches nothing, and a new one finds no trace of it", async () => {
	const touched: string[] = [];
	const watched = (api: ExtensionAPI): ExtensionAPI =>
		new Proxy(api, {
			get(target, key: keyof ExtensionAPI) {
				const value = target[key];
				if (typeof value !== "function") return value;
				return (...args: never[]) => {
					touched.push(String(key));
					return (value as (...args: never[]) => unknown).apply(target, args);
				};
			},
		});
	const before = process.getActiveResourcesInfo().sort();
	await inWorld({ wrap: watched }, async (world) => {
		await taskPrompts(world, 4);
		clock.advance(LIFETIME);
		await world.prompt("Back again.", task(10));
		await world.stop();
		touched.length = 0;
		clock.advance(LIFETIME * 20);
		for (let turn = 0; turn < 10; turn += 1) await wait(1);
		assert.deepEqual(touched, []);
		assert.deepEqual(process.getActiveResourcesInfo().sort(), before);
		await world.start();
		assert.deepEqual(world.errors, []);
	});
});
