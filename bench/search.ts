/**
 * Measures searches in a process of their own: of a large session once its words are indexed, and of many past sessions.
 * `search.ts FILE FOLDER` prints one JSON document.
 */

import * as tui from "@earendil-works/pi-tui";
import { handleOf, Pattern } from "../src-ts/core.ts";
import { partsOf } from "../src-ts/recall/parts.ts";
import { Past } from "../src-ts/search/past.ts";
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
	/** Milliseconds until an answer comes and the past sessions searched by then, by what they hold. */
	past: Record<"few" | "all", { wall: number; searched: number }>;
}

const RUNS = 7;

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

/** With the threads and the deadline that a model's search has. */
async function pastSearch(query: string): Promise<{ wall: number; searched: number }> {
	const ctx = { cwd: folder, sessionManager: { getSessionFile: () => undefined, getSessionDir: () => folder } };
	const request = { query, where: "all", limit: 20, offset: 0, caseSensitive: false } as const;
	let searched = 0;
	const { wall } = await timeAsync(async () => {
		searched = (await new Past(() => true).search(request, ctx as never, undefined))?.searched ?? 0;
	});
	return { wall, searched };
}

const past = { few: await pastSearch(FEW_HOLD), all: await pastSearch(QUERIES[0][1]) };
const share = words.bytes / words.size;
process.stdout.write(JSON.stringify({ indexed, hold, building, share, past } satisfies Searches));
