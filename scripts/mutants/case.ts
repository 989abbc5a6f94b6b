// A planted fault: what is changed, which invariant that breaks, and which test has to notice. Reads and checks
// tests/mutants.json; plants nothing.

import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface Mutant {
	/** "I1" to "I11". */
	readonly invariant: string;
	/** What the fault does, in a few words. */
	readonly fault: string;
	readonly file: string;
	/** Text that stands in the file exactly once, and what it becomes. */
	readonly find: string;
	readonly replace: string;
	/** The file that holds the test, TypeScript or Rust. */
	readonly test: string;
	/** Part of the test's name. */
	readonly name: string;
}

/** The invariants of ARCHITECTURE.md, each of which needs a fault of its own. */
export const INVARIANTS = Array.from({ length: 11 }, (_, index) => `I${index + 1}`);

export function readMutants(root: string): Mutant[] {
	const mutants = JSON.parse(readFileSync(join(root, "tests/mutants.json"), "utf8")) as Mutant[];
	for (const mutant of mutants) {
		const { invariant, fault } = mutant;
		if (!INVARIANTS.includes(invariant)) throw new Error(`${fault}: there is no invariant ${invariant}`);
		if (mutant.find === mutant.replace) throw new Error(`${fault}: changes nothing`);
	}
	return mutants;
}

/** The source with the fault in it, or undefined where the place to change is missing or not the only one. */
export function plant({ find, replace }: Mutant, source: string): string | undefined {
	const [before, after, ...more] = source.split(find);
	if (before === undefined || after === undefined || more.length > 0) return undefined;
	return before + replace + after;
}
