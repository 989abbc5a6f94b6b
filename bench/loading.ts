/**
 * How long Pi takes to load the published extension, by Pi's own account of its start, each time in a fresh process: with
 * the caches of earlier starts, and with empty ones, there against an extension of three lines. The module is loaded by
 * the first call that needs it, which is timed apart and added.
 */

import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median, type Timed } from "./measure.ts";

const STARTS = 7;
const ROOT = join(import.meta.dirname, "..");
const CLI = join(ROOT, "node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js");
const THREE_LINES = `import { VERSION } from "@earendil-works/pi-coding-agent";
if (!VERSION) throw new Error("no host");
export default (pi) => pi.on("session_start", () => {});
`;
const QUIET = ["--disable-warning=ExperimentalWarning"];

/** Milliseconds: medians, and the least. */
export interface Loading {
	warm: number;
	warmLeast: number;
	aboveThreeLines: number;
}

export function measureLoading(): Loading {
	const scratch = mkdtempSync(join(tmpdir(), "pi-zip-bench-load-"));
	try {
		const plain = join(scratch, "plain.js");
		writeFileSync(plain, THREE_LINES);
		// Where a user has it: beside a Pi in node_modules the loader takes that one, and compiles all of it.
		const installed = join(scratch, "package");
		for (const part of ["package.json", "pkg-js"]) cpSync(join(ROOT, part), join(installed, part), { recursive: true });
		const published = join(installed, "pkg-js/index.js");
		const kept = mkdtempSync(join(scratch, "kept-"));
		const empty = () => mkdtempSync(join(scratch, "empty-"));
		start(published, kept);
		const rounds = Array.from({ length: STARTS }, () => ({
			call: firstCall(),
			warm: start(published, kept),
			// In turns, so that both meet the same state of the machine.
			cold: start(published, empty()),
			plain: start(plain, empty()),
		}));
		const each = (of: (round: (typeof rounds)[number]) => number, sum: (values: number[]) => number) =>
			sum(rounds.map(of));
		const least = (values: number[]) => Math.min(...values);
		const of = (sum: (values: number[]) => number) => {
			const call = each(({ call }) => call, sum);
			const above = each(({ cold }) => cold, sum) - each(({ plain }) => plain, sum);
			return { warm: each(({ warm }) => warm, sum) + call, above: above + call };
		};
		const [middle, best] = [of(median), of(least)];
		return {
			warm: middle.warm,
			warmLeast: best.warm,
			aboveThreeLines: middle.above,
		};
	} finally {
		rmSync(scratch, { recursive: true, force: true });
	}
}

/** Milliseconds that Pi took for import and factory. Its loader keeps what Babel made in the folder for temporary files. */
function start(extension: string, home: string): number {
	const env = {
		PATH: process.env.PATH,
		HOME: home,
		TMPDIR: home,
		TEMP: home,
		TMP: home,
		PI_CODING_AGENT_DIR: home,
		PI_OFFLINE: "1",
		PI_SKIP_VERSION_CHECK: "1",
		PI_TELEMETRY: "0",
		PI_TIMING: "1",
	};
	const args = [...QUIET, CLI, "--mode", "rpc", "--no-session", "-e", extension];
	const { stderr } = spawnSync(process.execPath, args, { cwd: home, env, input: "", encoding: "utf8" });
	const steps = ["module import", "factory"].map((step) => stderr.split(`${extension} ${step}: `)[1]);
	if (steps.includes(undefined)) throw new Error(`Pi tells no time of ${extension}: ${stderr}`);
	return steps.reduce((sum, step) => sum + Number.parseInt(step ?? "", 10), 0);
}

function firstCall(): number {
	const out = execFileSync(process.execPath, [...QUIET, join(import.meta.dirname, "first-call.ts")], {
		encoding: "utf8",
	});
	return (JSON.parse(out) as Timed).wall;
}
