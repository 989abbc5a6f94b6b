/** Summaries that are written at a cold return which finds none ready: in every mode, and what happens where that fails. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { PI_ZIP } from "../host/home.ts";
import type { LaunchOptions } from "../host/launch.ts";
import { type FileEntry, readEntries } from "../host/session-file.ts";
import { CHAT, CLAUDE, RESPONSES, type Stage, type StageOptions } from "../host/stage.ts";
import { type Answer, conversation } from "../server/script.ts";
import type { Compaction } from "./compacting.ts";
import { SECRET } from "./extensions/redactor.ts";
import { AWAY, atWork, continues, exchanges, placeholders, promptOf, view } from "./work.ts";

/** Tokens that stay, and the target, so small that a few tasks need a summary. */
const SETTINGS = { compaction: { keepRecentTokens: 3000 } };
const extension = (name: string): string => fileURLToPath(new URL(`extensions/${name}.ts`, import.meta.url));
const launch: LaunchOptions = { extensions: [PI_ZIP], env: { PI_ZIP_COLD_CAP: "4000" } };
const TASKS = 4;
/** Requests of a task. */
const REQUESTS = 3;
const BEFORE = TASKS * REQUESTS;

/** Much pasted text, which nothing folds. */
const pasted = (n: number) => `${promptOf(n)}\n${`line ${n} as it was pasted `.repeat(700)}`;
const TOLD = "### Decisions and why\nThe parser stays as it is.";
const STANDS = "pi-zip: this stands for";
const isSummed = (request: Stage["server"]["main"][number]) => view(request).join("\n").includes(STANDS);

interface Left extends Partial<StageOptions> {
	launched?: LaunchOptions;
	/** To summaries, the last again and again. */
	answers?: Answer[];
}

/** A session of some tasks that was closed, and left for longer than its cache lives. */
function left<T>(
	{ launched = launch, answers = [{ text: TOLD }], ...options }: Left,
	body: (stage: Stage, session: string) => Promise<T>,
): Promise<T> {
	const script = conversation(exchanges(8, 2).map((one, n) => ({ ...one, prompt: pasted(n) })));
	const summary = (index: number) => answers[Math.min(index, answers.length - 1)]!;
	return atWork({ settings: SETTINGS, models: [CLAUDE], script, summary, ...options }, async (stage) => {
		const pi = stage.rpc(launched);
		for (let n = 0; n < TASKS; n += 1) await pi.run(pasted(n));
		const session = await pi.sessionFile();
		await pi.close();
		await stage.advance(AWAY);
		const result = await body(stage, session);
		assert.deepEqual(stage.server.refused, []);
		return result;
	});
}

const compactionsIn = (session: string) =>
	readEntries(session).filter(({ type }: FileEntry) => type === "compaction") as Compaction[];
const summaries = (stage: Stage) => stage.server.requests.filter(({ kind }) => kind === "summary");

/** The return and what followed it went out with the summary, byte by byte alike. */
function assertSummed(stage: Stage, session: string): void {
	const [entry, ...others] = compactionsIn(session);
	assert.equal(others.length, 0);
	assert.equal(entry?.details?.path, "uncached");
	assert.ok(entry.usage, "its cost is on the compaction");
	assert.ok(entry.summary?.includes(TOLD));
	const after = stage.server.main.slice(BEFORE);
	assert.equal(after.length, REQUESTS);
	for (const [index, request] of after.entries()) {
		assert.ok(isSummed(request), `request ${index} carries it`);
		if (index > 0) assert.ok(continues(request, after[index - 1]!), `request ${index} goes on from the one before`);
	}
	const [first] = after;
	assert.ok(first!.size < stage.server.main[BEFORE - 1]!.size / 2, "it is much smaller");
	assert.ok(view(first!).at(-1)?.includes(promptOf(TASKS)), "the prompt is the last in it");
	const asked = stage.server.requests.findIndex(({ kind }) => kind === "summary");
	assert.equal(stage.server.requests[asked + 1], first, "it was written right in front of the prompt");
}

/** The return was answered, and went out with folds alone. */
function assertFolded(stage: Stage, session: string): void {
	assert.deepEqual(compactionsIn(session), []);
	const after = stage.server.main.slice(BEFORE);
	assert.equal(after.length, REQUESTS);
	assert.ok(!after.some(isSummed));
	assert.ok(placeholders(after[0]!).length > 0);
}

for (const model of [CLAUDE, CHAT, RESPONSES]) {
	const options = { models: [model], cache: model === CLAUDE ? ("explicit" as const) : ("automatic" as const) };
	const env = { ...launch.env!, ...(model === CLAUDE ? {} : { PI_ZIP_TTL_SECS: "300" }) };
	test(`print mode writes the summary that its cold return needs, right then, ${model.api}`, () =>
		left(options, async (stage, session) => {
			const { code, stdout, stderr } = await stage.print(pasted(TASKS), { ...launch, env, session });
			assert.equal(code, 0);
			assert.equal(stdout, `Task ${TASKS} is done.\n`);
			assert.equal(stderr, "");
			assertSummed(stage, session);
		}));
}

test("so does JSON mode, and its output stays JSON without a notice", () =>
	left({}, async (stage, session) => {
		const { code, stdout, stderr } = await stage.json(pasted(TASKS), { ...launch, session });
		assert.equal(code, 0);
		assert.equal(stderr, "");
		const types = stdout
			.trimEnd()
			.split("\n")
			.map((line) => (JSON.parse(line) as { type: string }).type);
		assert.ok(!types.includes("extension_ui_request") && !types.includes("extension_error"));
		assertSummed(stage, session);
	}));

test("so does a session that was just opened, and says so", () =>
	left({}, async (stage, session) => {
		const pi = stage.rpc({ ...launch, session });
		await pi.run(pasted(TASKS));
		assertSummed(stage, session);
		assert.match(pi.notices.join("\n"), /pi-zip · summarised \d+ requests · \d+K → \d+/);
		assert.deepEqual(pi.extensionErrors, []);
	}));

const FAILED: [what: string, answer: Answer][] = [
	["is refused by policy", { error: { status: 403, type: "permission_error", message: "policy" } }],
	["asks for tools", { text: "Let me look.", calls: [{ name: "bash", input: { command: "touch ran-it" } }] }],
	["is empty", { text: " " }],
	["is longer than what it replaces", { text: "word ".repeat(40_000) }],
];

for (const [what, answer] of FAILED) {
	test(`a summary that ${what} leaves a return in print mode to folds alone`, () =>
		left({ answers: [answer] }, async (stage, session) => {
			const { code, stdout } = await stage.print(pasted(TASKS), { ...launch, session });
			assert.equal(code, 0);
			assert.equal(stdout, `Task ${TASKS} is done.\n`);
			assert.equal(summaries(stage).length, 2, "one retry, for bullets");
			assertFolded(stage, session);
			const counted = readEntries(session).filter(({ kind }) => kind === "pi-zip.summary");
			assert.equal(counted.length, 1, "its cost is counted");
		}));
}

for (const mode of ["print", "json"] as const) {
	test(`a provider that hangs is not waited for without end in ${mode} mode`, () =>
		left({ answers: [{ text: "On and on", hang: true }] }, async (stage, session) => {
			const run = stage[mode](pasted(TASKS), { ...launch, session, movedTimers: true });
			await stage.server.hung(1);
			await stage.advance(119);
			assert.equal(stage.server.main.length, BEFORE, "it is waited for");
			await stage.advance(2);
			assert.equal((await run).code, 0);
			assertFolded(stage, session);
		}));
}

test("whoever stops the run while it is being written is not made to wait again", () =>
	left({ answers: [{ text: "On and on", hang: true }] }, async (stage, session) => {
		const pi = stage.rpc({ ...launch, session });
		const settled = pi.settled();
		await pi.ask("prompt", { message: pasted(TASKS) });
		await stage.server.hung(1);
		await pi.ask("abort");
		await settled;
		assert.equal(stage.server.main.length, BEFORE, "the request did not go out");
		await pi.run(pasted(TASKS + 1));
		assert.equal(stage.server.main.length, BEFORE + REQUESTS);
		assert.equal(summaries(stage).length, 1);
		assert.deepEqual(compactionsIn(session), []);
		assert.deepEqual(pi.extensionErrors, []);
	}));

test("Esc in a terminal that was just opened ends the waiting, and not the run", () =>
	left({ answers: [{ text: "On and on", hang: true }] }, async (stage, session) => {
		const pi = stage.terminal({ ...launch, session }, 100, 40);
		await pi.until((screen) => screen.includes(`Task ${TASKS - 1} is done.`));
		await pi.submit(promptOf(TASKS));
		await pi.until((screen) => screen.includes("at once with Esc"));
		await stage.server.hung(1);
		pi.type("\x1b");
		await pi.until((screen) => /the summary was stopped: the request\s+goes out with folds alone/.test(screen));
		await stage.server.received(({ main }) => main.length > BEFORE);
		const request = stage.server.main[BEFORE]!;
		assert.ok(!isSummed(request) && placeholders(request).length > 0);
		await pi.until((screen) => screen.includes("Done."));
		assert.deepEqual(compactionsIn(session), []);
	}));

test("requests carry it until Pi has taken it, though another extension's drafts are refused", () =>
	left({}, async (stage, session) => {
		const extensions = [PI_ZIP, extension("invalid-draft")];
		const pi = stage.rpc({ ...launch, extensions, session });
		await pi.run(pasted(TASKS));
		assertSummed(stage, session);
	}));

test("where another extension takes something out of requests, no original is sent", () => {
	const launched = { ...launch, extensions: [extension("redactor"), PI_ZIP] };
	const call = { name: "bash", input: { command: "printf 'tok_%s\\n%3000d' 4f9a1c77e0 1" } };
	const [first, ...others] = exchanges(8, 2).map((one, n) => ({ ...one, prompt: pasted(n) }));
	const answers = [{ calls: [call] }, { calls: [call] }, { text: "Done." }];
	return left({ launched, script: conversation([{ ...first!, answers }, ...others]) }, async (stage, session) => {
		assert.equal((await stage.print(pasted(TASKS), { ...launched, session })).code, 0);
		assert.equal(summaries(stage).length, 0);
		for (const { raw } of stage.server.requests) assert.ok(!raw.includes(SECRET));
		assert.ok(readEntries(session).some((one) => JSON.stringify(one).includes(SECRET)));
		assert.deepEqual(compactionsIn(session), []);
	});
});

test("nothing is written where folds reach the target", () =>
	left({}, async (stage, session) => {
		await stage.print(pasted(TASKS), { extensions: [PI_ZIP], session });
		assert.equal(summaries(stage).length, 0);
		assert.deepEqual(compactionsIn(session), []);
	}));
