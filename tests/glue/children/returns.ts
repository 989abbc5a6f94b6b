/** One of several processes that record returns at once: file, number of its own, how many. Ends when all are written. */
import { setImmediate as turn } from "node:timers/promises";
import { learner } from "../../../src-ts/core.ts";
import { Disk } from "../../../src-ts/files.ts";
import { Learning } from "../../../src-ts/learning.ts";
import { Survivals } from "../../../src-ts/survival.ts";

const [file = "", own = "", count = ""] = process.argv.slice(2);
const survivals = new Survivals(
	new Disk().sharedFile(() => [file]),
	learner,
);
const learning = new Learning(survivals);
const key = { provider: "p", model: "m", tier: "short" } as const;
for (let index = 0; index < Number(count); index += 1) {
	// Odd ones see a longer gap: tier, gap, lived, lifetime, declared.
	survivals.record(key, [0, Number(own) % 2 ? 365_000 : 100_000, 1, 300_000, 1]);
	await turn();
	learning.refresh();
}
while (survivals.unwritten) await learning.close();
