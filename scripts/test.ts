// Runs every test and ends with one sum: `npm test`, or `npm test -- PATTERN` for those whose file or name holds it.
//
// Order: what is fast and explains most comes first. A failing group does not stop the next ones. It decides nothing
// about what a test needs: a test file finds the repository by its own address and brings its own scratch folders.

import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { availableParallelism, homedir, tmpdir } from "node:os";
import { dirname, join, sep } from "node:path";
import { createInterface } from "node:readline";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { fileURLToPath } from "node:url";

interface Outcome {
	readonly group: string;
	readonly passed: number;
	readonly failed: number;
	readonly skipped: number;
	readonly seconds: number;
}

type Counts = Pick<Outcome, "passed" | "failed" | "skipped">;

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** After this a test file counts as hung, in milliseconds. */
const FILE_TIMEOUT_MS = 15 * 60_000;

/** Groups of test files by the folder below tests/ that they stand in; all other folders are glue. */
const FOLDERS: ReadonlyMap<string, string> = new Map([
	["repository", "repository"],
	["host", "real Pi"],
	["e2e", "real Pi"],
	["package", "package"],
]);
const FILE_GROUPS = ["repository", "glue", "real Pi", "package"];

/** Settings of the person at the keyboard that would change what a test sees. */
const PERSONAL_VARIABLES = /^(PI_|ANTHROPIC_|OPENAI_|GEMINI_|GOOGLE_|AWS_|MISTRAL_|OPENROUTER_|NODE_TEST_CONTEXT$)/;

const pattern = process.argv[2];
const scratch = mkdtempSync(join(tmpdir(), "pi-zip-test-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
process.exitCode = await main();

async function main(): Promise<number> {
	const files = testFiles();
	const byName = pattern === undefined ? [] : files.filter((file) => file.includes(pattern));
	const outcomes: Outcome[] = [];
	if (byName.length === 0) outcomes.push(await timed("Rust", cargoTest));
	isolate();
	for (const group of FILE_GROUPS) {
		const inGroup = (byName.length > 0 ? byName : files).filter((file) => groupOf(file) === group);
		// A pattern that names files selects all that is in them; otherwise it is looked for in the tests' names.
		const names = byName.length > 0 ? undefined : pattern;
		if (inGroup.length > 0) outcomes.push(await timed(group, () => nodeTest(inGroup, names)));
	}
	return summarise(outcomes);
}

function summarise(outcomes: readonly Outcome[]): number {
	console.log("\n== summary");
	for (const { group, passed, failed, skipped, seconds } of outcomes) {
		const extra = skipped > 0 ? `, ${skipped} skipped` : "";
		console.log(`${group.padEnd(12)} ${passed} passed, ${failed} failed${extra} (${seconds} s)`);
	}
	const sum = (of: (outcome: Outcome) => number) => outcomes.reduce((total, outcome) => total + of(outcome), 0);
	const passed = sum((outcome) => outcome.passed);
	const failed = sum((outcome) => outcome.failed);
	if (passed + failed === 0) console.log(`no test matches ${pattern}`);
	console.log(`${passed} passed, ${failed} failed`);
	return failed > 0 || passed === 0 ? 1 : 0;
}

async function timed(group: string, work: () => Promise<Counts>): Promise<Outcome> {
	console.log(`\n== ${group}`);
	const from = Date.now();
	return { group, ...(await work()), seconds: Math.round((Date.now() - from) / 1000) };
}

/** Passes cargo's output on and adds up its closing lines, one for each test binary. */
async function cargoTest(): Promise<Counts> {
	const args = ["test", "--locked", "--target-dir", "target", ...(pattern === undefined ? [] : [pattern])];
	const child = spawn("cargo", args, { cwd: ROOT, stdio: ["ignore", "pipe", "inherit"] });
	const ended = new Promise<number | null>((done) => {
		child.on("close", (code) => done(code));
		child.on("error", () => done(null));
	});
	const counts = { passed: 0, failed: 0, skipped: 0 };
	for await (const line of createInterface({ input: child.stdout })) {
		const sums = /^test result: .* (\d+) passed; (\d+) failed; (\d+) ignored/.exec(line);
		if (sums !== null) {
			counts.passed += Number(sums[1]);
			counts.failed += Number(sums[2]);
			counts.skipped += Number(sums[3]);
		}
		console.log(line);
	}
	// Code that does not compile reports no test at all, and must not pass for it.
	if ((await ended) !== 0 && counts.failed === 0) counts.failed = 1;
	return counts;
}

async function nodeTest(files: readonly string[], names: string | undefined): Promise<Counts> {
	const stream = run({
		files: files.map((file) => join(ROOT, file)),
		concurrency: availableParallelism(),
		timeout: FILE_TIMEOUT_MS,
		...(names === undefined ? {} : { testNamePatterns: [names] }),
	});
	const counts = { passed: 0, failed: 0, skipped: 0 };
	stream.on("test:pass", ({ skip, details }) => {
		if (details.type === "suite") return;
		counts[skip === undefined ? "passed" : "skipped"] += 1;
	});
	stream.on("test:fail", ({ details }) => {
		// A suite fails with its tests, which are counted themselves.
		const { failureType } = details.error as Error & { failureType?: string };
		if (failureType !== "subtestsFailed") counts.failed += 1;
	});
	for await (const chunk of stream.compose(new spec())) process.stdout.write(String(chunk));
	return counts;
}

function testFiles(): string[] {
	const found = readdirSync(join(ROOT, "tests"), { recursive: true, encoding: "utf8" });
	const posix = found.map((file) => `tests/${file.split(sep).join("/")}`);
	return posix.filter((file) => file.endsWith(".test.ts")).sort();
}

function groupOf(file: string): string {
	return FOLDERS.get(file.split("/")[1] ?? "") ?? "glue";
}

/** No test may see or touch the user's own Pi folder, keys or settings, even one that forgets to say so. */
function isolate(): void {
	for (const name of Object.keys(process.env)) if (PERSONAL_VARIABLES.test(name)) delete process.env[name];
	// Rust's tools, which some tests call, would look for themselves in the new home.
	const { CARGO_HOME = join(homedir(), ".cargo"), RUSTUP_HOME = join(homedir(), ".rustup") } = process.env;
	Object.assign(process.env, {
		CARGO_HOME,
		RUSTUP_HOME,
		HOME: scratch,
		PI_CODING_AGENT_DIR: join(scratch, "agent"),
		PI_OFFLINE: "1",
		PI_SKIP_VERSION_CHECK: "1",
		PI_TELEMETRY: "0",
	});
}
