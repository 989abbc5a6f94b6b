/**
 * Measures the lab, in a process of its own: a long session under all policies, and many sessions one after another as
 * `pi-zip replay` takes them. Prints one JSON document.
 */

import { readFileSync } from "node:fs";
import { replaySession } from "../cli/lab.ts";
import { time } from "./measure.ts";

export interface Replays {
	/** Answers in the long session. */
	requests: number;
	/** Milliseconds of this thread for it, run by run; the first loads the module. */
	long: number[];
	/** Seconds for all sessions. */
	many: number;
	/** Bytes that the process holds after a tenth of them, and after all. */
	memory: [after: number, end: number];
}

/** Runs of the long session. */
const RUNS = 5;

function measure(long: string, some: readonly string[], count: number): Replays {
	const bytes = readFileSync(long);
	const runs = Array.from({ length: RUNS }, () => time(() => replaySession(bytes, true, "")).cpu);
	const { requests } = replaySession(bytes, true, "");
	let after = 0;
	const many = time(() => {
		for (let index = 0; index < count; index += 1) {
			replaySession(readFileSync(some[index % some.length]!), false, "");
			if (index === Math.floor(count / 10)) after = process.memoryUsage.rss();
		}
	});
	return { requests, long: runs, many: many.cpu / 1_000, memory: [after, process.memoryUsage.rss()] };
}

const [long = "", count = "0", ...some] = process.argv.slice(2);
process.stdout.write(JSON.stringify(measure(long, some, Number(count))));
