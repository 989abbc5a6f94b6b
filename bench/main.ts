/**
 * `npm run bench`: measures what the extension costs, on generated sessions, and prints it beside the bounds. With
 * `--check` it ends with 1 where a bound is exceeded. It is no test: times depend on the machine and what else it does.
 *
 * Work shorter than a tick of the system's clock is held against its bound by the median of the wall time; longer work by
 * the median of the main thread's own time, so that other processes do not count.
 */

import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { measureLoading } from "./loading.ts";
import { median, time } from "./measure.ts";
import { FEW_HOLD } from "./queries.ts";
import type { Replays } from "./replay.ts";
import type { Report, Summary } from "./scenario.ts";
import type { Searches } from "./search.ts";
import { type SessionSize, writeSession } from "./session.ts";
import { printTable, type Row, shown } from "./table.ts";

const SEED = 20261130;
/** Compacted as Pi does it. With `--all-in-view` they never are: more than any model reads, for those who look for costs. */
const compacts = !process.argv.includes("--all-in-view");
const SMALL = { entries: 1_000, bytes: 6e6, compacts };
const LARGE = { entries: 10_000, bytes: 57e6, compacts };
/** Fresh processes for the first feed. */
const FEEDS = 3;
/** A session of 260 answers, and the many that `pi-zip replay` goes through: as many files, again and again. */
const REPLAYED = { entries: 570, bytes: 4e6, compacts: true };
const MANY = { entries: 200, bytes: 1e6, compacts: true, count: 1_000, files: 20 };
const NATIVE_RUNS = 5;
/** Milliseconds of a search: ranked before there is an index, and by a pattern that no literal helps. */
const SEARCH_BOUNDS: readonly (readonly [string, number])[] = [
	["words", 800],
	["identifier", 800],
	["pattern with a literal", 150],
	["pattern without a literal", 1_000],
];
/** Past sessions that are to be searched while a model waits, of how many, and in which milliseconds. */
const PAST = { entries: 190, bytes: 1e6, compacts: true, count: 200, wanted: 150, time: 1_500 };
/** Of so many sessions one holds the words that few hold. */
const FEW = 10;
const KB = 1024;
const MB = 1024 * KB;
const ROOT = join(import.meta.dirname, "..");

const scratch = mkdtempSync(join(tmpdir(), "pi-zip-bench-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
/** What cargo finds its toolchain by. */
const environment = { ...process.env };
// Nothing of the user's may be read.
Object.assign(process.env, { HOME: scratch, PI_CODING_AGENT_DIR: scratch });
for (const name of Object.keys(process.env)) if (name.startsWith("PI_ZIP_")) delete process.env[name];

const all = measureAll();
console.log(`${process.version}, load ${loadavg()[0]?.toFixed(1)} at the end, seed ${SEED}\n`);
const isWithin = printTable(all);
if (process.argv.includes("--check") && !isWithin) process.exitCode = 1;

function measureAll(): Row[] {
	const loading = measureLoading();
	say("loading: done");
	const small = scenario(session("small", SMALL), "full");
	say("1,000 entries: done");
	const file = session("large", LARGE);
	const large = scenario(file, "full");
	say("10,000 entries: done");
	const feeds = [large, ...Array.from({ length: FEEDS - 1 }, () => scenario(file, "feed"))].map(
		({ rows }) => rows.feed!,
	);
	const holds = Object.entries(large.rows).filter(([name]) => name.startsWith("hold: ") && !name.includes(": before_"));
	const [longest, hold] = holds.reduce((one, other) => (other[1].cpu > one[1].cpu ? other : one));
	return [
		short("warm request, nothing to do, 10,000 entries", large.rows["nothing to do"]!, 0.2),
		short("warm request, edits weighed, 10,000 entries", large.rows.weighed!, 1),
		short("first request of a run, 10,000 entries", large.rows.first!, 5),
		short("request that carries a plan, 1,000 entries", small.rows.carry!, 1, small.rows["carry: folded"]),
		short("request that carries a plan, 10,000 entries", large.rows.carry!, 2, large.rows["carry: folded"]),
		short("planning a cold return, 10,000 entries", large.rows.plan!, 5, large.rows["plan: folded"]),
		{
			name: "a run of 500 requests, 10,000 entries",
			value: large.rows.run!.cpu,
			bound: 1_000,
			unit: "ms",
			note: `own time; wall ${shown(large.rows.run!.wall)}; the median is ${shown(large.rows["long run"]!.wall)}, the longest ${shown(large.rows["long run"]!.most)}`,
		},
		{
			name: "fixed part of a summary, 10,000 entries",
			value: large.rows.summary!.cpu,
			bound: 20,
			unit: "ms",
			note: `own time; wall ${shown(large.rows.summary!.wall)}`,
		},
		{
			name: "first feed, 57 MB",
			value: median(feeds.map(({ cpu }) => cpu)),
			bound: 300,
			unit: "ms",
			note: `own time; wall ${shown(median(feeds.map(({ wall }) => wall)))}`,
		},
		{
			name: "load and start, warm",
			value: loading.warm,
			bound: 40,
			unit: "ms",
			note: `least ${shown(loading.warmLeast)}`,
		},
		{
			name: "load and start, empty caches, above three lines",
			value: loading.aboveThreeLines,
			bound: 40,
			unit: "ms",
			note: "",
		},
		{ name: "module's memory after 57 MB", value: large.memory / MB, bound: 48, unit: "MB", note: "" },
		{
			name: "longest hold of the event loop",
			value: hold.cpu,
			bound: 50,
			unit: "ms",
			note: `own time; ${longest.slice("hold: ".length)}, wall ${shown(hold.wall)}`,
		},
		...searchRows(large),
		...indexRows(file),
		...replayRows(),
		{ name: "module", value: statSync(join(ROOT, "pkg-js/core_bg.wasm")).size / KB, bound: 350, unit: "KB", note: "" },
		{ name: "tarball", value: tarballSize() / KB, bound: 400, unit: "KB", note: "" },
	];
}

function searchRows(large: Report): Row[] {
	return SEARCH_BOUNDS.map(([name, bound]) => {
		const { wall, least, most, cpu } = large.rows[`search: ${name}`]!;
		const note = `own time; wall ${shown(wall)}, ${shown(least)} to ${shown(most)}`;
		return { name: `search of 57 MB, ${name}`, value: cpu, bound, unit: "ms", note };
	});
}

/** Ranked searches with an index, and of past sessions. */
function indexRows(file: string): Row[] {
	const folder = join(scratch, "past");
	mkdirSync(folder);
	for (let index = 0; index < PAST.count; index += 1) {
		const one = session(join("past", `${index}`), PAST, SEED + index);
		if (index % FEW === 0) appendFileSync(one, `${JSON.stringify(promptOf(FEW_HOLD))}\n`);
	}
	const script = join(import.meta.dirname, "search.ts");
	const args = ["--disable-warning=ExperimentalWarning", "--max-old-space-size=4096", script, file, folder];
	const found = JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" })) as Searches;
	say("searches: done");
	const past = (name: string, { wall, searched }: Searches["past"]["all"]): Row => ({
		name: `${PAST.wanted} past sessions of 1 MB, ${name}`,
		value: (wall * PAST.wanted) / searched,
		bound: PAST.time,
		unit: "ms",
		note: `wall; ${searched} of ${PAST.count} searched in ${shown(wall)}`,
	});
	return [
		...Object.entries(found.indexed).map(
			([name, value]): Row => ({
				name: `search of 57 MB, ${name}, indexed`,
				value,
				bound: 150,
				unit: "ms",
				note: "own time",
			}),
		),
		{ name: "longest hold in those", value: found.hold, bound: 50, unit: "ms", note: "own time" },
		{
			name: "index of 57 MB",
			value: 100 * found.share,
			bound: 30,
			unit: "%",
			note: `of the texts; built in ${shown(found.building)} s of own time`,
		},
		past("words that one in ten holds", found.past.few),
		past("words that all hold", found.past.all),
	];
}

function promptOf(text: string): object {
	return {
		type: "message",
		id: "rare",
		parentId: null,
		timestamp: "2026-01-01",
		message: { role: "user", content: text },
	};
}

/** The lab: native as `npm run lab` builds it, and as a module. */
function replayRows(): Row[] {
	const cargo = ["build", "--release", "--locked", "--quiet", "--package", "pi-zip-lab", "--target-dir", "target"];
	execFileSync("cargo", cargo, { cwd: ROOT, stdio: "inherit", env: environment });
	const long = session("replayed", REPLAYED);
	const native = Array.from({ length: NATIVE_RUNS }, () => {
		const args = ["compare", long];
		return time(() => execFileSync(join(ROOT, "target/release/lab"), args, { stdio: "ignore" })).wall;
	});
	const many = Array.from({ length: MANY.files }, (_, index) => session(`many-${index}`, MANY, SEED + index));
	const script = join(import.meta.dirname, "replay.ts");
	const args = ["--disable-warning=ExperimentalWarning", script, long, String(MANY.count), ...many];
	const replays = JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" })) as Replays;
	say("replays: done");
	const [after, end] = replays.memory;
	const name = `replay of 4 MB, ${replays.requests} requests, all policies`;
	return [
		{
			name: `${name}, native`,
			value: median(native),
			bound: 300,
			unit: "ms",
			note: `wall, a process each; least ${shown(Math.min(...native))}`,
		},
		{
			name: `${name}, module`,
			value: median(replays.long),
			bound: 1_000,
			unit: "ms",
			note: `own time; first ${shown(replays.long[0]!)}`,
		},
		{ name: "replay of 1,000 sessions of 1 MB", value: replays.many, bound: 180, unit: "s", note: "own time" },
		{
			name: "memory that 900 of them add",
			value: (end - after) / MB,
			bound: 32,
			unit: "MB",
			note: `${Math.round(end / MB)} MB in all`,
		},
	];
}

function short(name: string, { wall, least, most, count }: Summary, bound: number, folded?: Summary): Row {
	const folds = folded ? `, ${Math.round(folded.wall)} folds` : "";
	return { name, value: wall, bound, unit: "ms", note: `${shown(least)} to ${shown(most)}, ${count} runs${folds}` };
}

function session(name: string, size: SessionSize, seed = SEED): string {
	const file = join(scratch, `${name}.jsonl`);
	writeSession(file, size, seed, Date.now() - 60_000);
	return file;
}

function scenario(file: string, extent: "full" | "feed"): Report {
	const script = join(import.meta.dirname, "scenario.ts");
	// A file each: what one appends is not for the next.
	const args = ["--disable-warning=ExperimentalWarning", "--max-old-space-size=4096", script, file, extent];
	return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8", maxBuffer: 16 * MB })) as Report;
}

function tarballSize(): number {
	const out = execFileSync("npm", ["pack", "--json", "--dry-run", "--ignore-scripts"], { cwd: ROOT, encoding: "utf8" });
	const [report] = JSON.parse(out) as { size: number }[];
	return report?.size ?? Number.NaN;
}

function say(line: string): void {
	process.stderr.write(`  ${line}\n`);
}
