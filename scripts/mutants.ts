// Shows that the tests of the invariants bite: `npm run mutants`, or `npm run mutants -- WORD` for some. Each fault of
// tests/mutants.json is planted into a copy of the repository; the test that it names has to pass before and fail after.
// Exits 1 if a fault survives, its place is gone, its test proves nothing, or an invariant has no fault.

import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { INVARIANTS, type Mutant, plant, readMutants } from "./mutants/case.ts";
import { Tree } from "./mutants/tree.ts";
import { type Ending, runTest } from "./mutants/trial.ts";

type Verdict =
	| "caught"
	| "SURVIVED"
	| "patch no longer applies"
	| "does not build"
	| "test fails without the fault"
	| "no such test";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const word = process.argv[2];
const all = readMutants(ROOT);
const chosen =
	word === undefined ? all : all.filter((mutant) => Object.values(mutant).some((text) => text.includes(word)));

const tree = new Tree(ROOT);
tree.sync();
const intact = new Map<string, Ending>();
let failures = 0;

for (const mutant of chosen) {
	const from = Date.now();
	const verdict = judge(mutant);
	if (verdict !== "caught") failures += 1;
	const seconds = Math.round((Date.now() - from) / 1000);
	console.log(
		`${mutant.invariant.padEnd(4)}${verdict.padEnd(10)}${`${seconds} s`.padStart(6)}  ${mutant.fault} (${mutant.file})`,
	);
}

const missing = INVARIANTS.filter((invariant) => all.every((mutant) => mutant.invariant !== invariant));
if (missing.length > 0) console.log(`no fault for ${missing.join(", ")}`);
console.log(`${chosen.length - failures} of ${chosen.length} faults caught`);
process.exitCode = failures > 0 || chosen.length === 0 || missing.length > 0 ? 1 : 0;

function judge(mutant: Mutant): Verdict {
	const source = tree.read(mutant.file);
	const faulty = plant(mutant, source);
	if (faulty === undefined) return "patch no longer applies";
	const before = intactEnding(mutant);
	if (before === "no such test") return "no such test";
	if (before !== "passed") return "test fails without the fault";
	tree.write(mutant.file, faulty);
	try {
		const after = runTest(tree.root, mutant);
		if (after === "failed") return "caught";
		return after === "not built" ? "does not build" : "SURVIVED";
	} finally {
		tree.write(mutant.file, source);
	}
}

/** How the test ends in the unchanged copy, run once for all faults that name it. */
function intactEnding({ test, name }: Mutant): Ending {
	const key = `${test}\0${name}`;
	const known = intact.get(key) ?? runTest(tree.root, { test, name });
	intact.set(key, known);
	return known;
}
