/**
 * Measures searches in a process of their own: of a large session once its words are indexed, and of many past sessions.
 * `search.ts FILE FOLDER` prints one JSON document.
 */

import * as tui from "@earendil-works/pi-tui";
import { runCommandLine } from "../src-ts/command-line.ts";
import { handleOf, Pattern } from "../src-ts/core.ts";
import { partsOf } from "../src-ts/recall/parts.ts";
import { WordIndex } from "../src-ts/search/word-index.ts";
import { searchTool } from "../src-ts/search.ts";
import { longestHold, median, time, timeAsync } from "./measure.ts";
import { BenchPi } from "./pi.ts";
import { FEW_HOLD, QUERIES } from "./queries.ts";

export interface Searches {
	/** Milliseconds of this thread by the query's name, and of the longest hold among them. */
	indexed: Record<string, number>;
	hold: number;
	/** Seconds that building takes, and the index's size over that of the texts. */
	building: number;
	share: number;
	/** Milliseconds of the process to search all past sessions, by what they hold. */
	past: Record<"few" | "all", number>;
}

const RUNS = 7;
/** Milliseconds: more than all of them take. */
const NO_DEADLINE = 600_000;

const [file = "", folder = ""] = process.argv.slice(2);
const { session } = new BenchPi(file);
const words = new WordIndex();
const parts = session.getEntries().flatMap((entry) => partsOf(entry));
const building = time(() => parts.every((part) => words.add(part))).cpu / 1_000;
const tool = searchTool({
	host: { tui },
	handleOf,
	pattern: (pattern, isCased) => new Pattern(pattern, isCased),
	isCarried: () => false,
	past: { search: async () => undefined },
	words: () => words,
});
const search = (params: object) =>
	tool.execute("call", params, undefined, undefined, { sessionManager: session } as never) as Promise<unknown>;

const indexed: Record<string, number> = {};
let hold = 0;
for (const [name, query] of QUERIES) {
	const runs: number[] = [];
	for (let run = 0; run < RUNS; run += 1) runs.push((await timeAsync(() => search({ query }))).cpu);
	indexed[name] = median(runs);
	hold = Math.max(hold, (await longestHold(() => search({ query }))).cpu);
}

/** Own time of the process: the thread's is in it. */
async function pastSearch(query: string): Promise<number> {
	const before = process.cpuUsage();
	const args = ["search", "--json", query, "--time", String(NO_DEADLINE), "--sessions", folder];
	await runCommandLine(args, new AbortController().signal);
	const { user, system } = process.cpuUsage(before);
	return (user + system) / 1_000;
}

const past = { few: await pastSearch(FEW_HOLD), all: await pastSearch(QUERIES[0][1]) };
const share = words.bytes / words.size;
process.stdout.write(JSON.stringify({ indexed, hold, building, share, past } satisfies Searches));
