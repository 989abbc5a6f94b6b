/** `/zip`: its subcommands, what they change, and what they say. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ExtensionCommandContext } from "@earendil-works/pi-coding-agent";
import type { Figures } from "../../src-ts/answers.ts";
import type { Status, WireCache } from "../../src-ts/asked.ts";
import {
	type Controls,
	statsLines,
	statusLines,
	stretchLine,
	survivalLines,
	zipCommand,
} from "../../src-ts/command.ts";

const WARM: WireCache = {
	state: "warm",
	warm: 1,
	kind: "explicit",
	because: undefined,
	idle: undefined,
	coldAt: 260_000,
	lifetime: 300_000,
	source: "declared",
	retention: "short",
};
const STATUS: Status = {
	cache: WARM,
	context: 84_000,
	factor: 1.314,
	fromReports: true,
	folded: { count: 3, tokens: 12_345 },
	foldedEver: { count: 4, tokens: 14_000 },
	foldable: { count: 0, tokens: 0 },
	recalls: 2,
	reason: undefined,
	figures: undefined,
};

/** Runs subcommands one after another; what was said, and what was chosen. */
async function run(names: string[], status: () => Status = () => STATUS, paused?: string) {
	const said: string[] = [];
	let choice = { enabled: true, quiet: false };
	const controls: Controls = {
		get choice() {
			return choice;
		},
		paused,
		status,
		survival: () => [],
		stretches: [0, 0],
		more: () => ["settings: as they are"],
		choose(next) {
			choice = next;
		},
		export: async () => "the file",
		folds: async () => [],
		unfoldAll: async () => ["all unfolded"],
		foldNow: async () => ["folds"],
		settings: async () => ["changed"],
		report: async () => "the page",
		bill: async () => ["the bill"],
	};
	const ctx = { ui: { notify: (line: string) => void said.push(line) } } as unknown as ExtensionCommandContext;
	for (const name of names) await zipCommand(controls).handler(name, ctx);
	return { said, choice };
}

test("completions", () => {
	const { getArgumentCompletions } = zipCommand({} as Controls);
	const names = (prefix: string) =>
		getArgumentCompletions(prefix)
			?.map(({ value }) => value)
			.join(" ");
	assert.equal(names(""), "status stats report export folds unfold all fold now settings off on quiet");
	assert.equal(names("se"), "settings");
	assert.equal(names("st"), "status stats");
	assert.equal(names("o"), "off on");
	assert.equal(names("x"), "");
	for (const whole of ["folds", "fold now", "off "]) assert.equal(names(whole), undefined, "complete as it is");
});

test("switches", async () => {
	assert.deepEqual((await run(["off"])).choice, { enabled: false, quiet: false });
	assert.deepEqual((await run(["off", "quiet", "on"])).choice, { enabled: true, quiet: true });
	assert.deepEqual((await run(["quiet", "quiet"])).choice, { enabled: true, quiet: false });
	assert.deepEqual((await run(["quiet", "quiet"])).said, ["pi-zip · quiet", "pi-zip · tells of folds again"]);
});

test("no name is the status, an unknown one is told what there is", async () => {
	const [status, named, unknown, inherited, more] = (await run(["", " status ", "fold", "toString", "export a.jsonl"]))
		.said;
	assert.equal(status, named);
	assert.match(status ?? "", /^pi-zip · on\n/);
	assert.match(
		unknown ?? "",
		/no such command\. Known: status, stats, report, export, folds, unfold all, fold now, settings, off, on, quiet/,
	);
	assert.match(inherited ?? "", /no such command/);
	assert.match(more ?? "", /\/zip export takes no argument/);
});

test("what fails is said", async () => {
	const failing = () => {
		throw new Error("it broke");
	};
	assert.deepEqual((await run(["status", "on"], failing)).said, ["pi-zip · on\nno figures: it broke", "pi-zip · on"]);
});

const told = (cache: WireCache) => statusLines({ ...STATUS, cache }, 10_000).slice(0, 2);

test("the status", async () => {
	assert.deepEqual(statusLines(STATUS, 10_000), [
		"cache: explicit; warm, goes cold in 4 min",
		"lifetime: 5 min, declared by the model (short retention)",
		"context: 84K tokens",
		"folded: 3 outputs, 12K tokens",
		"a cold return would fold: nothing",
		"recalls: 2",
		"last decision: none yet since Pi started",
	]);
	const first = async (names: string[], paused?: string) =>
		(await run([...names, "status"], () => STATUS, paused)).said.at(-1)?.split("\n")[0];
	assert.equal(await first([]), "pi-zip · on");
	assert.equal(await first(["quiet"]), "pi-zip · on · quiet");
	assert.equal(await first(["off"], "another"), "pi-zip · off");
	assert.equal(await first([], "another is loaded"), "pi-zip · paused: another is loaded");
});

const FIGURES: Figures = {
	...{ input: 3, output: 15, read: 0.3, write: 3.75, dearerAbove: 200_000, growth: 1_234, behind: 7, ahead: 24.6 },
	...{ candidates: 3, saved: 12_000, rewritten: 30_000, recalls: 0.2, savesNow: 0, savesLater: 1, again: 1 },
	...{ savesCompaction: 0, savesTier: 0, costsRecalls: 0, costsRewrite: 1 },
};

test("the newest decision in words, no line wider than a narrow terminal", () => {
	const lines = (reason: string, figures: Partial<Figures> = {}) =>
		statusLines({ ...STATUS, reason, figures: { ...FIGURES, ...figures } }, 10_000).slice(6);
	assert.deepEqual(lines("waits"), [
		"prices over input: read 0.1, write 1.25, output 5, dearer above 200K",
		"last decision: waits, 12K less to read for 30K written again does not pay",
		"  growth 1.2K a request; 7 requests since the cache was cold, 25 to come",
	]);
	assert.equal(lines("waits", { saved: 0 })[1], "last decision: left alone, no edit pays yet");
	assert.equal(lines("refused: edits out of order")[1], "last decision: left alone, refused: edits out of order");
	for (const reason of ["small", "justEdited", "waits", "ends", "pays", "nothing", "old", "rereadable", "aged"]) {
		const told = lines(reason, { saved: 99_900, rewritten: 999_400, dearerAbove: 272_000, behind: 1_234 });
		assert.ok(
			told.every((line) => line.length <= 80),
			told.join("\n"),
		);
		assert.notEqual(told[1], `last decision: left alone, ${reason}`);
	}
});

test("the cache in words", () => {
	const cold = { ...WARM, state: "cold" } as const;
	assert.deepEqual(told({ ...WARM, state: "first", source: "assumed" }), [
		"cache: explicit; no request yet",
		"lifetime: 5 min, assumed: the model declares none",
	]);
	assert.equal(told({ ...cold, because: "expired", idle: 720_000 })[0], "cache: explicit; cold after 12 min idle");
	assert.equal(
		told({ ...cold, because: "modelChanged" })[0],
		"cache: explicit; cold: another model than the last answer's",
	);
	assert.deepEqual(told({ ...cold, because: "noCache", lifetime: undefined }), [
		"cache: explicit; none in use",
		"lifetime: no cache",
	]);
	assert.equal(told({ ...WARM, source: "override" })[1], "lifetime: 5 min, set by PI_ZIP_TTL_SECS");
	assert.equal(told({ ...WARM, source: "observed" })[1], "lifetime: 5 min, seen in what the provider wrote");
});

test("what returns have taught, in lines that fit a narrow terminal", () => {
	const bin = (minutes: number, seen: number) => ({ from: minutes * 60_000, chance: 0.984, seen });
	assert.deepEqual(survivalLines([bin(1, 0), bin(5, 0)]), ["returns: none to learn the lifetime from yet"]);
	assert.deepEqual(survivalLines([bin(1, 3), bin(5, 0), bin(6, 1)]), [
		"lives through: 60 s 98 % (3 returns), 6 min 98 % (1 return)",
	]);
	const lines = survivalLines(Array.from({ length: 19 }, (_, index) => bin(index * 30, 12_345)));
	assert.ok(lines.length > 1 && lines.every((line) => line.length <= 80), lines.join("\n"));
});

test("what the length of a run is expected from, no line wider than a narrow terminal", () => {
	assert.equal(stretchLine([0, 0]), "run length: by this session, no earlier stretch is known");
	assert.equal(stretchLine([0.97, 4.9]), "run length: by this session and 1 earlier stretch, 5 requests by the mean");
	const longest = stretchLine([33.3, 33.3 * 300]);
	assert.match(longest, /33 earlier stretches, 300 requests by the mean$/);
	assert.ok(longest.length <= 80, longest);
});

test("the sums", () => {
	assert.deepEqual(statsLines(STATUS), [
		"folded: 4 outputs, 14K tokens",
		"recalls: 2",
		"tokens: 1.31 × characters / 4, by the provider's reports",
	]);
	assert.match(statsLines({ ...STATUS, fromReports: false })[2] ?? "", /assumed$/);
});
