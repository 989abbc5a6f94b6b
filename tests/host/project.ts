/**
 * The small project that scripted sessions work on: a JavaScript library with long modules, and a test runner in shell
 * whose reports are long. Everything is deterministic; the same files and commands give the same output.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Call } from "../server/script.ts";

const MODULES = ["parser", "router", "store", "layout", "session", "search"];
/** Lines of one module. */
const MODULE_LINES = 600;

function moduleText(name: string): string {
	const lines = [`// ${name}: part of the sample library.`];
	for (let n = 1; lines.length < MODULE_LINES; n += 1) {
		lines.push(
			`export function ${name}Step${n}(input, options = {}) {`,
			`	const limit = options.limit ?? ${(n * 37) % 211};`,
			`	if (input.length > limit) throw new RangeError("${name} step ${n}: " + input.length + " over " + limit);`,
			`	return input.map((value, at) => ({ value, at, step: ${n}, key: "${name}-" + at * ${n} }));`,
			"}",
			"",
		);
	}
	return `${lines.slice(0, MODULE_LINES).join("\n")}\n`;
}

/** Prints a report: `sh report.sh SEED LINES`, one failure among the cases. */
const REPORT = `seed=$1
lines=$2
awk -v seed="$seed" -v lines="$lines" 'BEGIN {
	print "TAP version 14, suite " seed
	for (n = 1; n <= lines; n++) {
		h = (n * 7919 + seed * 104729) % 99991
		if (n == int(lines / 2)) print "not ok " n " - store keeps order of writes (case " h "): expected " h ", got " h + 1
		else print "ok " n " - module " h % 6 " handles case " h " with input of " h % 512 " bytes in " h % 90 " ms"
	}
	print "# tests " lines " pass " lines - 1 " fail 1"
	exit 1
}'
`;

export function makeProject(folder: string): void {
	mkdirSync(join(folder, "src"), { recursive: true });
	for (const name of MODULES) writeFileSync(join(folder, "src", `${name}.js`), moduleText(name));
	writeFileSync(join(folder, "report.sh"), REPORT);
	writeFileSync(join(folder, "README.md"), "# Sample library\n\nRun the tests with `sh report.sh SEED LINES`.\n");
}

export const runTests = (seed: number, lines: number): Call => ({
	name: "bash",
	input: { command: `sh report.sh ${seed} ${lines}` },
});

export const readSlice = (module: number, offset: number, limit: number): Call => ({
	name: "read",
	input: { path: `src/${MODULES[module % MODULES.length]}.js`, offset, limit },
});

export const search = (step: number): Call => ({
	name: "bash",
	input: { command: `grep -rn "Step${step}" src | head -n 100` },
});
