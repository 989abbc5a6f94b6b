// Runs the one test that a planted fault has to trip, and says how it ended. A test that does not compile, or that no
// name fits, is neither passed nor failed: it shows nothing.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import type { Mutant } from "./case.ts";

export type Ending = "passed" | "failed" | "not built" | "no such test";

/** After this a test counts as hung, which is a failure, in milliseconds. */
const TIMEOUT_MS = 10 * 60_000;

export function runTest(root: string, { test, name }: Pick<Mutant, "test" | "name">): Ending {
	return test.endsWith(".ts") ? runFile(root, test, name) : runRust(root, test, name);
}

function runFile(root: string, file: string, name: string): Ending {
	const built = run(root, process.execPath, ["scripts/with-setup.mjs"]);
	if (built.status !== 0) return "not built";
	// No ANSI codes or layout in this form of report: one line a test.
	const args = ["--test", "--test-reporter=tap", `--test-name-pattern=${name}`, join(root, file)];
	const { lines, status } = run(root, process.execPath, ["--disable-warning=ExperimentalWarning", ...args]);
	const results = lines.flatMap((line) => [...line.matchAll(/^\s*(not ok|ok) \d+ - (?!.*# SKIP)(.*)$/g)]);
	return ending(
		results.map(([, result, title = ""]) => ({ title, failed: result === "not ok" })),
		name,
		status,
	);
}

function runRust(root: string, file: string, name: string): Ending {
	const place = /^crates\/([^/]+)\/(src|tests)\/(\w+)/.exec(file);
	if (place === null) throw new Error(`${file} is no test file of a crate`);
	const [, crate = "", folder, binary = ""] = place;
	const target = folder === "src" ? ["--lib"] : ["--test", binary];
	const args = ["--locked", "--target-dir", "target", "--package", crate, ...target];
	const built = run(root, "cargo", ["test", "--no-run", ...args]);
	if (built.status !== 0) return "not built";
	const { lines, status } = run(root, "cargo", ["test", "--no-fail-fast", ...args, name]);
	const results = lines.flatMap((line) => [...line.matchAll(/^test (.*) \.\.\. (ok|FAILED)$/g)]);
	return ending(
		results.map(([, title = "", result]) => ({ title, failed: result === "FAILED" })),
		name,
		status,
	);
}

function ending(results: readonly { title: string; failed: boolean }[], name: string, status: number | null): Ending {
	const named = results.filter(({ title }) => title.includes(name));
	if (named.some(({ failed }) => failed) || status === null) return "failed";
	if (named.length === 0) return status === 0 ? "no such test" : "not built";
	return status === 0 ? "passed" : "failed";
}

/** A status of null is a test that hung or died. */
function run(root: string, program: string, args: string[]): { lines: string[]; status: number | null } {
	const { NODE_TEST_CONTEXT: _, ...env } = process.env;
	const options = { cwd: root, env, encoding: "utf8", timeout: TIMEOUT_MS, maxBuffer: 2 ** 28 } as const;
	const { stdout, status, error } = spawnSync(program, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
	if (error !== undefined && (error as NodeJS.ErrnoException).code === "ENOENT") throw error;
	return { lines: (stdout ?? "").split("\n"), status };
}
