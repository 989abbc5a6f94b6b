/** What becomes of a compaction: folds where they make room, else a summary of ours, else Pi's own. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { PI_ZIP } from "../host/home.ts";
import type { RpcPi } from "../host/rpc.ts";
import { edits, readEntries } from "../host/session-file.ts";
import { CHAT, CLAUDE, RESPONSES, type Stage, type StageOptions } from "../host/stage.ts";
import { type Answer, conversation, sequence } from "../server/script.ts";
import { type Compaction, compactions, ROUNDS, SETTINGS, summaryRequests, work } from "./compacting.ts";
import { ITS_SUMMARY } from "./extensions/compactor.ts";
import { SECRET } from "./extensions/redactor.ts";
import { exchange, exchanges, foldedTexts, handles, placeholders, promptOf, runTasks, view } from "./work.ts";

const extensions = [PI_ZIP];
const extension = (name: string): string => fileURLToPath(new URL(`extensions/${name}.ts`, import.meta.url));

const SMALL = { ...CLAUDE, id: "claude-small", contextWindow: 35_000 };
const REQUESTS = ROUNDS + 1;
/** Tasks whose outputs fill the small window: each brings about 4,400 tokens. */
const FILLING = 7;
/** Rounds of one run that fill it, none of whose outputs may be folded yet. */
const LONG_RUN = 24;

const textOf = (request: { blocks: { text: string }[] }) => request.blocks.map(({ text }) => text).join("\n");
const starts = (pi: RpcPi) => pi.events.filter(({ type }) => type === "compaction_start");

function full<T>(options: Partial<StageOptions>, body: (stage: Stage) => Promise<T>): Promise<T> {
	return work({ models: [SMALL], script: conversation(exchanges(FILLING + 2, ROUNDS)), ...options }, body);
}

/** One run of many rounds. */
const longRun = sequence(exchange(0, LONG_RUN).answers as Answer[]);

for (const model of [CLAUDE, CHAT, RESPONSES]) {
	test(`/compact writes a summary with the fixed part and a narrative, ${model.api}`, () =>
		work({ models: [model], cache: model === CLAUDE ? "explicit" : "automatic" }, async (stage) => {
			const pi = stage.rpc({ extensions });
			await runTasks(pi, 0, 3);
			await pi.ask("compact", { customInstructions: "Mind the parser." });
			const [entry] = await compactions(pi);
			assert.equal(entry?.details?.path, "uncached");
			assert.equal(entry.details.reason, "written");
			const [start, end] = entry.details.narrative ?? [0, 0];
			assert.equal(entry.summary?.slice(start, end), "## Goal\nGo on with the work described so far.");
			assert.match(entry.summary ?? "", /\n\[turn 1\]\nTask 0: see to module 0 and its tests\.\n/);
			assert.match(entry.summary ?? "", /\n- \w{10}, turn 1, exit 1: sh report\.sh 0 100\n/);
			const [asked, ...others] = summaryRequests(stage);
			assert.equal(others.length, 0);
			assert.match(textOf(asked!), /Mind the parser\./);
			assert.match(textOf(asked!), /TAP version 14, suite 0/, "the originals are summed up whole");
			assert.match(pi.notices.join("\n"), /pi-zip · summarised 7 requests · 1\dK → \d/);
			await pi.run("/zip");
			assert.match(pi.notices.at(-1) ?? "", /last summary: uncached \(written\)/);
			await pi.run(promptOf(3));
			assert.match(view(stage.server.main.at(-1)!).join("\n"), /pi-zip: this stands for 7 requests/);
			assert.deepEqual(stage.server.refused, []);
			assert.deepEqual(pi.extensionErrors, []);
		}));
}

test("a second summary stands for both, and sums up only what is new", () =>
	work({ models: [CLAUDE] }, async (stage) => {
		const pi = stage.rpc({ extensions });
		await runTasks(pi, 0, 3);
		await pi.ask("compact");
		await runTasks(pi, 3, 6);
		await pi.ask("compact");
		const [first, second] = summaryRequests(stage).map(textOf);
		for (const suite of [0, 10, 20, 30, 40]) {
			const asked = [first, second].filter((text) => new RegExp(`TAP version 14, suite ${suite}\\b`).test(text ?? ""));
			assert.equal(asked.length, 1, `suite ${suite} was summed up ${asked.length} times`);
		}
		const text = (await compactions(pi))[1]?.summary ?? "";
		assert.match(
			text,
			/\n\[summary \w{10}, depth 1, .*, \d+ handles from \w{10} to \w{10}\]\n## Goal.*\n.*\n\n\[summary /,
		);
		for (const n of [0, 1, 2, 3, 4]) assert.equal(text.split(promptOf(n)).length, 2, `task ${n} once`);
		const [handle] = /\w{10}(?=, turn 1\b.*: sh report\.sh 0 100)/.exec(text) ?? [];
		assert.ok(handle, "the first turn's handle is still there");
		assert.deepEqual(pi.extensionErrors, []);
	}));

test("where results fill the context, folds at the turn's end leave Pi no reason to compact", () =>
	full({}, async (stage) => {
		const pi = stage.rpc({ extensions });
		await runTasks(pi, 0, FILLING);
		assert.equal(starts(pi).length, 0);
		assert.deepEqual(await compactions(pi), []);
		assert.ok(foldedTexts(readEntries(await pi.sessionFile())).size >= 4);
		assert.ok(Math.max(...stage.server.main.map(({ size }) => size)) < 19_500);
		assert.match(pi.notices.join("\n"), /the context was full/);
		assert.deepEqual(stage.server.refused, []);
		assert.deepEqual(pi.extensionErrors, []);
	}));

test("where folding makes no room, the summary is ours, and the run goes on", () =>
	full({ script: longRun }, async (stage) => {
		const pi = stage.rpc({ extensions });
		await runTasks(pi, 0, 1);
		const [entry] = await compactions(pi);
		assert.equal(entry?.details?.path, "uncached");
		assert.ok(stage.server.main.length >= LONG_RUN);
		assert.match(view(stage.server.main.at(-1)!)[0] ?? "", /pi-zip: this stands for/);
		assert.deepEqual(stage.server.refused, []);
		assert.deepEqual(pi.extensionErrors, []);
	}));

test("print mode compacts in the same way", () =>
	full({ script: longRun }, async (stage) => {
		const { code, stdout } = await stage.print(promptOf(0), { extensions });
		assert.equal(code, 0);
		assert.match(stdout, /Task 0 is done/);
		// One summary in two parts: the originals are longer than the window.
		const [first, second, ...others] = summaryRequests(stage).map(textOf);
		assert.deepEqual(
			[first, second].map((text) => text?.includes("<before>")),
			[false, true],
		);
		assert.equal(others.length, 0);
		assert.match(view(stage.server.main.at(-1)!)[0] ?? "", /pi-zip: this stands for/);
	}));

test("after an overflow folds make room, and the run goes on where it was cut short", () =>
	full({ models: [CLAUDE], contextWindow: 19_500 }, async (stage) => {
		const pi = stage.rpc({ extensions });
		await runTasks(pi, 0, 6);
		assert.equal(stage.server.refused.length, 1);
		assert.deepEqual(await compactions(pi), []);
		assert.ok(placeholders(stage.server.main.at(-1)!).length >= 4);
		const answered = stage.server.main.filter(({ status }) => status === 200);
		assert.equal(answered.length, 6 * REQUESTS, "each task was done to its end");
		assert.deepEqual(pi.extensionErrors, []);
	}));

test("after an overflow without room to be made the summary is ours", () =>
	full({ models: [CLAUDE], script: longRun, contextWindow: 21_000 }, async (stage) => {
		const pi = stage.rpc({ extensions });
		await pi.run(promptOf(0));
		assert.ok(stage.server.refused.length >= 1);
		const [entry] = await compactions(pi);
		assert.equal(entry?.details?.by, "pi-zip");
		assert.equal(stage.server.main.filter(({ status }) => status === 200).length, LONG_RUN + 1);
		assert.deepEqual(pi.extensionErrors, []);
	}));

test("a smaller model finds the context folded, not compacted", () =>
	full({ models: [CLAUDE, SMALL] }, async (stage) => {
		const pi = stage.rpc({ extensions });
		await runTasks(pi, 0, FILLING);
		await pi.ask("set_model", { provider: "scripted", modelId: SMALL.id });
		await pi.run(promptOf(FILLING));
		assert.deepEqual(await compactions(pi), []);
		const first = stage.server.main[FILLING * REQUESTS]!;
		assert.equal(first.model, SMALL.id);
		assert.ok(handles(first).length >= 8, `${handles(first).length} folds`);
		assert.equal(edits(readEntries(await pi.sessionFile())).length, handles(first).length);
		assert.deepEqual(stage.server.refused, []);
		assert.deepEqual(pi.extensionErrors, []);
	}));

const call = { name: "bash", input: { command: "ls" } };
const REFUSED: [what: string, answers: Answer[], reason: string][] = [
	["nothing", [{ text: " " }], "empty"],
	["a tool call", [{ text: "Let me look.", calls: [call] }], "asked for tools"],
	["a refusal", [{ error: { status: 400, type: "invalid_request_error", message: "policy" } }], "the provider failed"],
	["more than it replaces", [{ text: "word ".repeat(40_000) }], "not smaller"],
	["nothing at first", [{ text: "" }, { text: "- bullets" }], "written at the second try"],
];

for (const [what, answers, reason] of REFUSED) {
	test(`a model that answers ${what}: ${reason}`, () =>
		full({ script: longRun, summary: (index) => answers[Math.min(index, answers.length - 1)]! }, async (stage) => {
			const pi = stage.rpc({ extensions });
			await pi.run(promptOf(0));
			const [entry] = await compactions(pi);
			assert.equal(entry?.details?.reason, reason);
			assert.equal(entry.details.path, reason.startsWith("written") ? "uncached" : "fixed part only");
			assert.equal(entry.details.failed, reason.startsWith("written") ? 1 : 2);
			assert.match(entry.summary ?? "", /## Commands/);
			assert.match(stage.server.main.at(-1)!.raw, /Task 0: see to module 0/, "the run went on");
			if (!reason.startsWith("written")) assert.match(pi.notices.join("\n"), /without a narrative/);
			assert.deepEqual(pi.extensionErrors, []);
		}));
}

test("models of the settings write summaries in their order, and one that fails goes last", () => {
	const writers = ["writer-a", "writer-b"].map((id) => ({ ...CLAUDE, id }));
	const failed: Answer = { error: { status: 400, type: "invalid_request_error", message: "policy" } };
	const summary = (index: number): Answer => (index < 2 ? failed : { text: "## Goal\nTold." });
	return work(
		{ models: [CLAUDE, ...writers], summary },
		async (stage) => {
			const pi = stage.rpc({ extensions });
			const asked = () => summaryRequests(stage).map(({ model }) => model);
			await runTasks(pi, 0, 3);
			await pi.ask("compact");
			assert.deepEqual(asked(), ["writer-a", "writer-a", "writer-b"]);
			await runTasks(pi, 3, 6);
			await pi.ask("compact");
			assert.deepEqual(asked().slice(3), ["writer-b"]);
			const [first, second] = await compactions(pi);
			for (const entry of [first, second]) assert.match(entry?.summary ?? "", /Told/);
			assert.deepEqual(pi.extensionErrors, []);
		},
		'{"summaryModels": ["scripted/writer-a", "scripted/writer-b"]}',
	);
});

test("/compact that gets no narrative is left to Pi", () =>
	work(
		{ settings: SETTINGS, summary: (index) => (index < 2 ? { text: "" } : { text: "Pi's own." }) },
		async (stage) => {
			const pi = stage.rpc({ extensions });
			await runTasks(pi, 0, 3);
			await pi.ask("compact");
			const [entry] = await compactions(pi);
			assert.equal(entry?.fromHook, false);
			assert.match(entry.summary ?? "", /Pi's own/);
			const counted = readEntries(await pi.sessionFile()).filter(({ kind }) => kind === "pi-zip.summary");
			assert.equal(counted.length, 1, "what it cost to try is counted");
		},
	));

/** Seconds after which models are given up that somebody could stop. */
const GIVEN_UP = 300;

test("where a provider hangs, /compact is left to Pi after a while", () =>
	work(
		{ summary: (index) => (index < 1 ? { text: "On and on", hang: true } : { text: "Pi's own." }) },
		async (stage) => {
			const pi = stage.rpc({ extensions, movedTimers: true });
			await runTasks(pi, 0, 3);
			const done = pi.ask("compact");
			await stage.server.hung(1);
			await stage.advance(GIVEN_UP + 1);
			await done;
			const [entry] = await compactions(pi);
			assert.equal(entry?.fromHook, false);
			assert.match(entry.summary ?? "", /Pi's own/);
			assert.deepEqual(pi.extensionErrors, []);
		},
	));

test("where a provider hangs while the context is full, the fixed part stands alone after a while, and the run goes on", () =>
	full({ script: longRun, summary: () => ({ text: "On and on", hang: true }) }, async (stage) => {
		const pi = stage.rpc({ extensions, movedTimers: true });
		const run = pi.run(promptOf(0));
		await stage.server.hung(1);
		await stage.advance(GIVEN_UP + 1);
		await run;
		const [entry] = await compactions(pi);
		assert.equal(entry?.details?.path, "fixed part only");
		assert.equal(entry.details.reason, "the provider failed");
		assert.match(stage.server.main.at(-1)!.raw, /Task 0: see to module 0/, "the run went on");
		assert.deepEqual(pi.extensionErrors, []);
	}));

test("where a provider hangs while the context is full, whoever stops it has the run ended, and the next one works", () =>
	full({ script: longRun, summary: (index) => ({ text: "On and on", hang: index === 0 }) }, async (stage) => {
		const pi = stage.rpc({ extensions });
		const settled = pi.settled();
		await pi.ask("prompt", { message: promptOf(0) });
		await stage.server.hung(1);
		await pi.ask("abort");
		await settled;
		assert.deepEqual(await compactions(pi), []);
		const before = stage.server.main.length;
		await pi.run("Go on.");
		assert.ok(stage.server.main.length > before);
		assert.deepEqual(pi.extensionErrors, []);
	}));

test("/compact that is stopped leaves nothing", () =>
	work({ summary: () => ({ text: "On and on", hang: true }) }, async (stage) => {
		const pi = stage.rpc({ extensions });
		await runTasks(pi, 0, 3);
		const failed = assert.rejects(pi.ask("compact"));
		await stage.server.hung(1);
		await pi.ask("abort");
		await failed;
		assert.deepEqual(await compactions(pi), []);
		await pi.run(promptOf(3));
		assert.deepEqual(pi.extensionErrors, []);
	}));

for (const [how, prepare] of [
	["/zip off", (_: Stage, pi: RpcPi) => pi.run("/zip off")],
	[
		'"summaries": "off"',
		async (stage: Stage) => writeFileSync(join(stage.home.agent, "pi-zip.json"), '{"summaries": "off"}'),
	],
] as [string, (stage: Stage, pi: RpcPi) => Promise<void>][]) {
	test(`with ${how} a compaction is Pi's own, and another extension's work is kept`, async () => {
		await work({}, async (stage) => {
			if (how !== "/zip off") await prepare(stage, undefined as never);
			const pi = stage.rpc({ extensions });
			if (how === "/zip off") await prepare(stage, pi);
			await runTasks(pi, 0, 3);
			await pi.ask("compact");
			assert.equal((await compactions(pi))[0]?.fromHook, false);
		});
		await work({}, async (stage) => {
			if (how !== "/zip off") await prepare(stage, undefined as never);
			const pi = stage.rpc({ extensions: [extension("compactor"), PI_ZIP] });
			if (how === "/zip off") await prepare(stage, pi);
			await runTasks(pi, 0, 3);
			await pi.ask("compact");
			assert.equal((await compactions(pi))[0]?.summary, ITS_SUMMARY);
		});
	});
}

test("an extension behind us that compacts has the last word", () =>
	work({}, async (stage) => {
		const pi = stage.rpc({ extensions: [PI_ZIP, extension("compactor")] });
		await runTasks(pi, 0, 3);
		await pi.ask("compact");
		assert.equal((await compactions(pi))[0]?.summary, ITS_SUMMARY);
	}));

test("originals are not sent past an extension that redacts requests", () => {
	const secret = { name: "bash", input: { command: `printf 'tok_%s\\n%3000d' 4f9a1c77e0 1` } };
	const script = sequence([{ calls: [secret] }, ...(exchange(0, LONG_RUN).answers as Answer[])]);
	// Room for one compaction only.
	return full({ script, models: [{ ...SMALL, contextWindow: 40_000 }] }, async (stage) => {
		const pi = stage.rpc({ extensions: [extension("redactor"), PI_ZIP] });
		await pi.run(promptOf(0));
		const [entry] = await compactions(pi);
		assert.equal(entry?.details?.reason, "another extension changes the view");
		assert.equal(entry.details.path, "fixed part only");
		for (const { raw } of stage.server.requests) assert.ok(!raw.includes(SECRET));
		assert.equal(summaryRequests(stage).length, 0);
		assert.ok(readEntries(await pi.sessionFile()).some((one) => JSON.stringify(one).includes(SECRET)));
	});
});

test("the summary of a branch that is left carries its handles", () =>
	work({}, async (stage) => {
		const pi = stage.rpc({ extensions: [PI_ZIP, extension("navigate")] });
		await runTasks(pi, 0, 3);
		const entries = readEntries(await pi.sessionFile());
		const user = entries.filter(({ message }) => message?.role === "user")[1]!;
		await pi.run(`/leave ${user.id}`);
		const summary = readEntries(await pi.sessionFile()).find(({ type }) => type === "branch_summary") as Compaction;
		assert.equal(summary.details?.by, "pi-zip");
		assert.match(summary.summary ?? "", /^The user explored a different .*Go on with the work.*Task 1.*Task 2/s);
		assert.doesNotMatch(summary.summary ?? "", /Task 0/);
		assert.match(summary.summary ?? "", /- \w{10}, turn 2, exit 1: sh report\.sh 10 131/);
		await pi.run(promptOf(3));
		assert.deepEqual(stage.server.refused, []);
		assert.deepEqual(pi.extensionErrors, []);
	}));
