/** Seeds of the property tests: the same in each run, others by `PI_ZIP_TEST_SEED`. */

import { test } from "node:test";
import type { World } from "./pi.ts";
import { type Course, play } from "./scenario.ts";

const FIRST = Number(process.env.PI_ZIP_TEST_SEED ?? 1);

/**
 * Plays generated sessions and checks each. `check` returns how many of the cases that the property is about it saw:
 * over all seeds there have to be some, or the test would show nothing.
 */
export function property(name: string, count: number, course: Course, check: (world: World) => number): void {
	test(`${name}: generated sessions, seeds ${FIRST} to ${FIRST + count - 1}`, async (context) => {
		let cases = 0;
		for (let seed = FIRST; seed < FIRST + count; seed += 1) {
			const mode = seed % 2 === 0 ? "tui" : "rpc";
			try {
				await play(seed, { ...course, options: { mode, ...course.options } }, (world) => {
					cases += check(world);
				});
			} catch (error) {
				context.diagnostic(`seed ${seed}`);
				throw error;
			}
		}
		context.diagnostic(`${cases} cases`);
		if (cases === 0) throw new Error("no generated session holds what the property is about");
	});
}
