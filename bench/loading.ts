/**
 * How long Pi's loader takes for the extension as it is published, each time in a fresh process: with the caches of
 * earlier starts, and with empty ones, there against an extension of three lines.
 */

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median, type Timed } from "./measure.ts";

const STARTS = 9;
const CHILD = join(import.meta.dirname, "load-child.ts");
const PUBLISHED = join(import.meta.dirname, "../pkg-js/index.js");
const THREE_LINES = `import { VERSION } from "@earendil-works/pi-coding-agent";
if (!VERSION) throw new Error("no host");
export default (pi) => pi.on("session_start", () => {});
`;

export interface Starts {
	wall: number;
	least: number;
	cpu: number;
}

export function measureLoading(): { warm: Starts; cold: Starts; plainCold: Starts } {
	const scratch = mkdtempSync(join(tmpdir(), "pi-zip-bench-load-"));
	try {
		const plain = join(scratch, "plain.js");
		writeFileSync(plain, THREE_LINES);
		const kept = join(scratch, "kept");
		mkdirSync(kept);
		start(PUBLISHED, kept);
		const warm = starts(() => start(PUBLISHED, kept));
		const empty = () => mkdtempSync(join(scratch, "empty-"));
		// In turns, so that both meet the same state of the machine.
		const pairs = Array.from({ length: STARTS }, () => [start(PUBLISHED, empty()), start(plain, empty())] as const);
		return { warm, cold: sum(pairs.map(([own]) => own)), plainCold: sum(pairs.map(([, other]) => other)) };
	} finally {
		rmSync(scratch, { recursive: true, force: true });
	}
}

function starts(once: () => Timed): Starts {
	return sum(Array.from({ length: STARTS }, once));
}

function sum(timed: readonly Timed[]): Starts {
	const walls = timed.map(({ wall }) => wall);
	return { wall: median(walls), least: Math.min(...walls), cpu: median(timed.map(({ cpu }) => cpu)) };
}

/** The loader keeps what Babel made in the folder for temporary files. */
function start(extension: string, temporary: string): Timed {
	const env = {
		...process.env,
		TMPDIR: temporary,
		TMP: temporary,
		TEMP: temporary,
		HOME: temporary,
		PI_CODING_AGENT_DIR: temporary,
		PI_OFFLINE: "1",
	};
	const flags = ["--disable-warning=ExperimentalWarning"];
	const out = execFileSync(process.execPath, [...flags, CHILD, extension], { env, encoding: "utf8" });
	return JSON.parse(out) as Timed;
}
