/**
 * One session's measurements, in a process of their own: `scenario.ts FILE full|feed` prints one JSON object of samples
 * by name. A process each, since the first feed of a resumed session meets code that nothing has warmed up, and the
 * module's memory never shrinks.
 */

import { initSync } from "../build/core/core.js";
import { Engine, handleOf } from "../src-ts/core.ts";
import { readSettings } from "../src-ts/settings.ts";
import { askCore } from "../src-ts/summary/summaries.ts";
import { Random } from "../tests/session/random.ts";
import { longestHold, median, type Timed, time, timeAsync } from "./measure.ts";
import { anthropicBody, BenchPi } from "./pi.ts";
import { QUERIES } from "./queries.ts";
import { codeLine, outputOf, reportLine } from "./session.ts";

/** Milliseconds; medians but for the two ends. */
export interface Summary {
	wall: number;
	least: number;
	most: number;
	cpu: number;
	count: number;
}

export interface Report {
	/** Bytes of the module's memory after the first feed. */
	memory: number;
	rows: Record<string, Summary>;
}

const RUNS = 12;
const WARM_REQUESTS_A_RUN = 3;
/** Tool rounds of a run between two returns. */
const ROUNDS = 24;
/** Requests of the one long run, and units of an output in it. */
const REQUESTS_A_RUN = 500;
const OUTPUT_A_ROUND = 3_000;
const HOLD_REPEATS = 3;
const SEARCH_REPEATS = 7;
/** The first words meet texts that nothing has read out of the entries yet. */
const SEARCHES: readonly (readonly [string, object])[] = [
	...QUERIES.map(([name, query]) => [name, { query }] as const),
	["pattern with a literal", { pattern: "nowhere_[0-9]+" }],
	["pattern without a literal", { pattern: "[0-9]{4}:[a-z]+" }],
];
/** UTF-16 units of the large output. */
const LARGE = 2_000_000;
/** Entries that a compaction keeps. */
const KEPT = 20;
/** Units of an output in these runs, and of one that is too small to be folded. */
const OUTPUT = 12_000;
const SMALL_OUTPUT = 600;

const [file = "", extent] = process.argv.slice(2);
const samples: Record<string, Timed[]> = {};
const random = new Random(7);
// A summary at a return waits for a provider, and there is none here.
process.env.PI_ZIP_SUMMARIES_WHEN = "never";
const bench = new BenchPi(file);
bench.emit("session_start");

const record = (name: string, timed: Timed) => {
	samples[name] ??= [];
	samples[name].push(timed);
};

/** Both handlers of one request, as Pi calls them. */
function request(name: string): Timed {
	const messages = bench.cloneView();
	let view: { messages: typeof messages } | undefined;
	const context = time(() => {
		view = bench.emit("context_with_system", { messages }) as typeof view;
	});
	const payload = anthropicBody(view?.messages ?? messages);
	const repair = time(() => bench.emit("before_provider_request", { payload }));
	const both = { wall: context.wall + repair.wall, cpu: context.cpu + repair.cpu };
	record(name, both);
	record(`${name}: before_provider_request`, repair);
	if (name === "plan" || name === "carry") {
		const folded = (view?.messages ?? []).filter((message, index) => message !== messages[index]).length;
		record(`${name}: folded`, { wall: folded, cpu: 0 });
	}
	return both;
}

bench.prompt("Go on.");
request("feed");
// The instance exists by now: this only hands out its exports.
const memory = initSync({ module: new Uint8Array() }).memory.buffer.byteLength;
bench.settle();
if (extent === "full") await measureAll();
const report: Report = { memory, rows: summaries() };
console.log(JSON.stringify(report));

function summaries(): Report["rows"] {
	return Object.fromEntries(Object.entries(samples).map(([name, timed]) => [name, summary(timed)]));
}

function summary(timed: readonly Timed[]): Summary {
	const walls = timed.map(({ wall }) => wall);
	return {
		wall: median(walls),
		least: Math.min(...walls),
		most: Math.max(...walls),
		cpu: median(timed.map(({ cpu }) => cpu)),
		count: timed.length,
	};
}

async function measureAll(): Promise<void> {
	measureSummary();
	// What pays is folded by now.
	bench.endTurn();
	runsOf("nothing to do", SMALL_OUTPUT);
	runsOf("weighed", OUTPUT);
	for (let run = 0; run < RUNS; run += 1) {
		bench.compact();
		for (const prompt of ["Work on it.", "Go on.", "Go on."]) work(prompt);
		bench.away();
		bench.prompt(`Back for the time ${run}.`);
		request("plan");
		bench.round(outputOf(random, reportLine, OUTPUT));
		// What the return has shown of the cache is looked at once.
		request("learn");
		request("carry");
		bench.endTurn();
		bench.settle();
	}
	measureRun();
	await measureHolds();
}

/** Short runs while the cache is warm: outputs too small to be folded leave nothing to do, larger ones are weighed. */
function runsOf(name: string, units: number): void {
	for (let run = 0; run < RUNS; run += 1) {
		bench.prompt(`Prompt ${run}.`);
		request("first");
		for (let warm = 0; warm < WARM_REQUESTS_A_RUN; warm += 1) {
			bench.round(outputOf(random, reportLine, units));
			bench.endTurn();
			request(name);
		}
		bench.endTurn();
		bench.settle();
	}
}

/** All requests of one long run. */
function measureRun(): void {
	bench.compact();
	bench.prompt("Work until it is done.");
	const all = { wall: 0, cpu: 0 };
	for (let count = 0; count < REQUESTS_A_RUN; count += 1) {
		const { wall, cpu } = request("long run");
		all.wall += wall;
		all.cpu += cpu;
		bench.endTurn();
		bench.round(outputOf(random, reportLine, OUTPUT_A_ROUND), bench.estimate());
	}
	record("run", all);
	bench.settle();
}

/** A run of which nothing is measured. */
function work(prompt: string): void {
	bench.prompt(prompt);
	for (let round = 0; round < ROUNDS; round += 1) bench.round(outputOf(random, reportLine, OUTPUT));
	bench.settle();
}

/** The fixed part of a summary of all that is older than what Pi keeps. */
function measureSummary(): void {
	new Engine(readSettings()).with(bench.session, (core, feed) => {
		const range = { from: 0, until: feed.length - KEPT, fresh: 0, units: LARGE };
		for (let run = 0; run < RUNS; run += 1)
			record(
				"summary",
				time(() => askCore(core, feed, range)),
			);
	});
}

/** What else runs on Pi's event loop. */
async function measureHolds(): Promise<void> {
	bench.emit("session_tree");
	bench.prompt("Show all of it.");
	bench.round(outputOf(random, codeLine, LARGE));
	const handle = handleOf(bench.session.getLeafId() ?? "");
	request("hold: request after a 2 MB output");
	const held = (name: string, work: (bench: BenchPi) => Promise<unknown>, repeats = HOLD_REPEATS) =>
		measureHold(`hold: ${name}`, work, repeats);
	await held("recall of a 2 MB output", (fresh) => fresh.recall({ handle }));
	await held("its last page", (fresh) => fresh.recall({ handle, offset: LARGE - 1000 }));
	await held("its last lines", (fresh) => fresh.recall({ handle, range: "30000-" }));
	for (const grep of ["price", "(a|b|const)+.*stock.*[0-9]{3}\\)", "^(a+)+$", "nowhere to be found"]) {
		await held(`grep ${grep}`, (fresh) => fresh.recall({ handle, grep }));
	}
	await held("unknown handle", (fresh) => fresh.recall({ handle: "0000000000" }));
	await held("ten unknown handles", (fresh) =>
		fresh.recall({ handles: Array.from({ length: 10 }, (_, n) => `zz0000000${n}`) }),
	);
	for (const [name, params] of SEARCHES) {
		for (let repeat = 0; repeat < SEARCH_REPEATS; repeat += 1) {
			record(`search: ${name}`, await timeAsync(() => bench.search(params)));
		}
		for (let repeat = 0; repeat < HOLD_REPEATS; repeat += 1) {
			record(`hold: inside a search, ${name}`, await longestHold(() => bench.search(params)));
		}
	}
	for (let repeat = 0; repeat < HOLD_REPEATS; repeat += 1) {
		record("hold: /zip", await timeAsync(() => bench.command("status")));
	}
}

/** Each time with an extension that has seen nothing yet. */
async function measureHold(name: string, work: (bench: BenchPi) => Promise<unknown>, repeats: number): Promise<void> {
	for (let repeat = 0; repeat < repeats; repeat += 1) {
		const fresh = new BenchPi(bench.session);
		record(name, await longestHold(() => work(fresh)));
	}
}
