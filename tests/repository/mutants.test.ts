/** The planted faults still have their place in the sources, and the tests they name are there. Planting them takes minutes. */
import assert from "node:assert/strict";
import test from "node:test";
import { plant, readMutants } from "../../scripts/mutants/case.ts";
import { ROOT, read } from "./sources.ts";

test("each planted fault applies to its file, once", () => {
	const mutants = readMutants(ROOT);
	assert.ok(mutants.length > 0);
	for (const mutant of mutants) {
		assert.notEqual(plant(mutant, read(mutant.file)), undefined, `${mutant.fault}: ${mutant.file}`);
		assert.ok(read(mutant.test).includes(mutant.name), `${mutant.test} has no test ${mutant.name}`);
	}
});

test("a fault whose place is missing or not the only one is refused", () => {
	const fault = { invariant: "I1", fault: "", file: "", test: "", name: "", find: "a > b", replace: "a < b" };
	assert.equal(plant(fault, "if (a > b) c();"), "if (a < b) c();");
	assert.equal(plant(fault, "if (a >= b) c();"), undefined);
	assert.equal(plant(fault, "a > b; a > b"), undefined);
});
