/** Summaries that are written while the user is away: when, what becomes of them, and what may come between. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { PI_ZIP } from "../host/home.ts";
import type { LaunchOptions } from "../host/launch.ts";
import type { RpcPi } from "../host/rpc.ts";
import { readEntries } from "../host/session-file.ts";
import { CHAT, CLAUDE, RESPONSES, type Stage, type StageOptions } from "../host/stage.ts";
import { type Answer, conversation } from "../server/script.ts";
import { compactions } from "./compacting.ts";
import { SECRET } from "./extensions/redactor.ts";
import { byCache, summing, TOLD } from "./summing.ts";
import { atWork, CHEAP_READS, exchanges, promptOf, view } from "./work.ts";

/** Tokens that stay, and the target, so small that a few tasks need a summary. */
const SETTINGS = { compaction: { keepRecentTokens: 3000 } };
const extension = (name: string): string => fileURLToPath(new URL(`extensions/${name}.ts`, import.meta.url));
const launch: LaunchOptions = {
	extensions: [PI_ZIP, extension("navigate")],
	movedTimers: true,
	env: { PI_ZIP_COLD_CAP: "4000" },
};
/** What is dropped is not replaced by one that is written at the return. */
const onlyAhead: LaunchOptions = { ...launch, env: { ...launch.env, PI_ZIP_SUMMARIES_WHEN: "ahead" } };
/** Seconds until the summary is due, with a cache that lives for 300, and until a cache that it renewed is gone. */
const DUE = 245;
const LATE = 400;
/** Seconds after which the cache that it has not read yet is gone, and it is not given up yet. */
const STILL_WRITTEN = 200;
const TASKS = 4;

/** Much pasted text, which nothing folds. */
const pasted = (n: number) => `${promptOf(n)}\n${`line ${n} as it was pasted `.repeat(700)}`;
const summed = (requests: Stage["server"]["main"]) =>
	requests.some((request) => view(request).join("\n").includes("pi-zip: this stands for"));

/** Entries that count what was written for nothing. */
const unused = async (pi: RpcPi) => readEntries(await pi.sessionFile()).filter(({ kind }) => kind === "pi-zip.summary");

interface Away extends Partial<StageOptions> {
	/** To summaries, the last again and again. */
	answers?: Answer[];
	launched?: LaunchOptions;
}

function away<T>(
	{ answers, launched = launch, ...options }: Away,
	body: (stage: Stage, pi: RpcPi) => Promise<T>,
): Promise<T> {
	const tasks = exchanges(8, 2).map((one, n) => ({ ...one, prompt: pasted(n) }));
	const script = summing(conversation(tasks), answers);
	return atWork({ settings: SETTINGS, models: [CLAUDE], script, ...options }, async (stage) => {
		const pi = stage.rpc(launched);
		for (let n = 0; n < TASKS; n += 1) await pi.run(pasted(n));
		const result = await body(stage, pi);
		assert.deepEqual(stage.server.refused, []);
		assert.deepEqual(pi.extensionErrors, []);
		return result;
	});
}

const isAnswered = ({ charge, status }: Stage["server"]["main"][number]) => charge !== undefined || status !== 200;

/** The user is away for so long that a summary is due, and it has been asked for. */
async function due(stage: Stage, answered = true): Promise<void> {
	await stage.advance(DUE);
	await stage.server.received(() => byCache(stage).length > 0 && (!answered || byCache(stage).every(isAnswered)));
}

/** A prompt that comes back to a cold cache while the summary is still being written; `done` once it was answered. */
async function waitingPrompt(stage: Stage, pi: RpcPi): Promise<{ done: Promise<unknown> }> {
	await due(stage, false);
	await stage.advance(STILL_WRITTEN);
	const waiting = pi.event(({ type }) => type === "compaction_start");
	const done = pi.run(pasted(TASKS));
	await waiting;
	return { done };
}

/** A gate that answers wait at, and what opens it. */
function gate(): { after: Promise<void>; open: () => void } {
	const { promise, resolve } = Promise.withResolvers<void>();
	return { after: promise, open: resolve };
}

for (const model of [CLAUDE, CHAT, RESPONSES]) {
	const options = { models: [model], cache: model === CLAUDE ? ("explicit" as const) : ("automatic" as const) };
	test(`a summary is written from the warm cache while the user is away, and used at the cold return, ${model.api}`, () =>
		away(options, async (stage, pi) => {
			await due(stage);
			const [asked] = byCache(stage);
			const { read, write, input } = asked!.charge!;
			assert.ok(read >= 0.95 * (read + write + input), `${read} read, ${write} written, ${input} put in`);
			assert.deepEqual(await compactions(pi), [], "nothing is changed while the user is away");
			await stage.advance(LATE);
			await pi.run(pasted(TASKS));
			const [entry] = await compactions(pi);
			assert.equal(entry?.details?.path, "cached");
			assert.equal(entry.details.ahead, true);
			assert.ok(entry.usage, "its cost is on the compaction");
			assert.ok(entry.summary?.includes(TOLD));
			const first = stage.server.main.at(-3)!;
			assert.ok(summed([first]));
			assert.ok(first.size < asked!.size / 2, `${first.size} of ${asked!.size} tokens`);
			assert.match(pi.notices.join("\n"), /pi-zip · summarised \d+ requests · \d+K → \d.* s while you were away/);
			assert.equal(byCache(stage).length, 1);
			assert.deepEqual(await unused(pi), []);
			for (const name of readdirSync(stage.home.root, { recursive: true }) as string[]) {
				const file = join(stage.home.root, name);
				if (!statSync(file).isFile()) continue;
				assert.equal(readFileSync(file, "utf8").includes("scripted-key"), name.endsWith("models.json"), name);
			}
		}));
}

test("a return that finds the cache renewed goes out as it is where that is cheaper, and what was written is counted", () =>
	// Reading is so cheap that writing what stays is not worth it while the cache is warm.
	away({ models: [{ ...CLAUDE, prices: CHEAP_READS }] }, async (stage, pi) => {
		await due(stage);
		// The answer has arrived once the cache is known to be renewed.
		do await pi.run("/zip");
		while (!/goes cold in \d min/.test(pi.notices.at(-1) ?? ""));
		await stage.advance(150);
		await pi.run(pasted(TASKS));
		assert.deepEqual(await compactions(pi), []);
		const first = stage.server.main.at(-3)!;
		assert.ok(first.charge!.read > first.size / 2, "the summary's request renewed the cache");
		assert.equal((await unused(pi)).length, 1);
		await pi.run("/zip");
		assert.match(pi.notices.at(-1) ?? "", /summaries that were not used: 1, \$\d/);
	}));

test("a prompt waits for the rest of a summary that it needs", () => {
	const { after, open } = gate();
	return away({ answers: [{ text: TOLD, after }] }, async (stage, pi) => {
		const run = await waitingPrompt(stage, pi);
		assert.equal(stage.server.main.length, byCache(stage).length + 3 * TASKS, "no request yet");
		open();
		await run.done;
		assert.equal((await compactions(pi))[0]?.details?.ahead, true);
		assert.ok(summed([stage.server.main.at(-3)!]));
	});
});

test("whoever ends the waiting gets folds alone, and is told so", () => {
	const { after, open } = gate();
	return away({ answers: [{ text: TOLD, after }] }, async (stage, pi) => {
		const run = await waitingPrompt(stage, pi);
		await pi.ask("abort");
		await run.done;
		assert.match(pi.notices.join("\n"), /the summary was stopped: the request goes out with folds alone/);
		assert.ok(!summed(stage.server.main));
		open();
		await stage.server.received(() => byCache(stage).every(isAnswered));
		await pi.run(pasted(TASKS + 1));
		assert.equal((await unused(pi)).length, 1, "its cost is counted");
		assert.deepEqual(await compactions(pi), []);
	});
});

test("a prompt does not wait without end for a provider that hangs", () =>
	away({ answers: [{ text: TOLD, hang: true }] }, async (stage, pi) => {
		// What is written ahead is given up 300 s after it was begun; the prompt comes in between.
		await stage.advance(DUE);
		await stage.server.hung(1);
		await stage.advance(100);
		const waiting = pi.event(({ type }) => type === "compaction_start");
		const done = pi.run(pasted(TASKS));
		await waiting;
		await stage.advance(LATE);
		await done;
		assert.match(pi.notices.join("\n"), /the summary was not written \(the provider failed\)/);
		assert.ok(!summed(stage.server.main.slice(-3)));
		assert.deepEqual(await compactions(pi), []);
	}));

test("Esc in the terminal ends the waiting", () => {
	const { after, open } = gate();
	return away({ answers: [{ text: TOLD, after }] }, async (stage, rpc) => {
		const session = await rpc.sessionFile();
		await rpc.close();
		const pi = stage.terminal({ ...launch, session }, 100, 40);
		await pi.until((screen) => screen.includes("Task 3 is done."));
		// A request of this process, for which the summary is one more.
		await pi.submit("Go on.");
		await pi.until((screen) => /Go on\.\s+Done\./.test(screen));
		await due(stage, false);
		await stage.advance(STILL_WRITTEN);
		await pi.submit("And now?");
		await pi.until((screen) => /compact/i.test(screen.slice(-1200)));
		pi.type("\x1b");
		await pi.until((screen) => screen.includes("folds alone"));
		await stage.server.received(({ main }) => main.at(-1)!.raw.includes("And now?"));
		assert.ok(!summed(stage.server.main));
		open();
	});
});

test("a summary for a branch that was left is not used", () => {
	const { after, open } = gate();
	return away({ answers: [{ text: TOLD, after }], launched: onlyAhead }, async (stage, pi) => {
		await due(stage, false);
		const rests = readEntries(await pi.sessionFile()).filter(({ message }) => message?.stopReason === "stop");
		await pi.run(`/goto ${rests[1]!.id}`);
		await stage.advance(LATE);
		open();
		await pi.run(pasted(TASKS));
		assert.deepEqual(await compactions(pi), []);
		assert.ok(!summed(stage.server.main));
		await pi.run(pasted(TASKS + 1));
		assert.equal((await unused(pi)).length, 1);
	});
});

test("another model may use it", () => {
	const models = [CLAUDE, { ...CLAUDE, id: "claude-other" }];
	return away({ models }, async (stage, pi) => {
		await due(stage);
		await pi.ask("set_model", { provider: "scripted", modelId: "claude-other" });
		await pi.run(pasted(TASKS));
		const first = stage.server.main.at(-3)!;
		assert.equal(first.model, "claude-other");
		assert.ok(summed([first]));
	});
});

for (const [what, leave] of [
	["/new", (pi: RpcPi) => pi.ask("new_session")],
	["/reload", (pi: RpcPi) => pi.run("/again")],
] as const) {
	test(`${what} while it is being written ends it, and nothing of it is left`, () => {
		const { after, open } = gate();
		return away({ answers: [{ text: TOLD, after }], launched: onlyAhead }, async (stage, pi) => {
			await due(stage, false);
			await leave(pi);
			await stage.server.received(() => byCache(stage)[0]!.aborted);
			open();
			await stage.advance(LATE);
			await pi.run(pasted(TASKS));
			assert.deepEqual(await compactions(pi), []);
			assert.ok(!summed(stage.server.main));
		});
	});
}

test("Pi ends at once though a summary is being written", () => {
	const { after, open } = gate();
	return away({ answers: [{ text: TOLD, after }] }, async (stage, pi) => {
		await due(stage, false);
		assert.equal(await pi.close(), 0);
		await stage.server.received(() => byCache(stage)[0]!.aborted);
		open();
	});
});

test("/zip off and the event by which others tell of what a provider no longer keeps drop what is prepared", async () => {
	for (const command of ["/zip off", "/invalidate"]) {
		await away({ launched: onlyAhead }, async (stage, pi) => {
			await due(stage);
			await pi.run(command);
			if (command === "/zip off") await pi.run("/zip on");
			await stage.advance(LATE);
			await pi.run(pasted(TASKS));
			assert.deepEqual(await compactions(pi), []);
			assert.ok(!summed(stage.server.main));
			assert.equal((await unused(pi)).length, 1);
		});
	}
});

const call = { name: "bash", input: { command: "touch ran-it" } };
const FAILED: [what: string, answer: Answer][] = [
	["is refused by policy", { error: { status: 400, type: "invalid_request_error", message: "policy" } }],
	["fails", { error: { status: 500, type: "api_error", message: "Internal" } }],
	["asks for tools", { text: "Let me look.", calls: [call] }],
	["is empty", { text: " " }],
];

for (const [what, answer] of FAILED) {
	test(`a summary that ${what} leaves a return to folds alone`, async () => {
		const tasks = exchanges(8, 2).map((one, n) => ({ ...one, prompt: pasted(n) }));
		const script = summing(conversation(tasks), [answer]);
		await atWork({ settings: SETTINGS, models: [CLAUDE], script }, async (stage) => {
			const pi = stage.rpc(launch);
			for (let n = 0; n < TASKS; n += 1) await pi.run(pasted(n));
			await stage.advance(DUE);
			// One retry, for bullets.
			await stage.server.received(() => byCache(stage).length === 2 && byCache(stage).every(isAnswered));
			await stage.advance(LATE);
			await pi.run(pasted(TASKS));
			assert.deepEqual(await compactions(pi), []);
			assert.ok(!summed(stage.server.main));
			assert.ok(!readdirSync(stage.home.project).includes("ran-it"));
			assert.deepEqual(pi.extensionErrors, []);
		});
	});
}

test("what another extension takes out of requests is in no request, and nothing is written ahead", () => {
	const secret = { name: "bash", input: { command: `printf 'tok_%s\\n%3000d' 4f9a1c77e0 1` } };
	const [first, ...others] = exchanges(8, 2).map((one, n) => ({ ...one, prompt: pasted(n) }));
	const script = summing(conversation([{ ...first!, answers: [{ calls: [secret] }, { text: "Done." }] }, ...others]));
	const launched = { ...launch, extensions: [extension("redactor"), ...launch.extensions!] };
	return away({ script, launched }, async (stage, pi) => {
		await stage.pass(DUE + LATE);
		await pi.run(pasted(TASKS));
		assert.equal(byCache(stage).length, 0);
		for (const { raw } of stage.server.requests) assert.ok(!raw.includes(SECRET));
		assert.ok(readEntries(await pi.sessionFile()).some((one) => JSON.stringify(one).includes(SECRET)));
	});
});

test("nothing is written where folds reach the target", () =>
	away({ launched: { ...launch, env: {} } }, async (stage, pi) => {
		await stage.pass(DUE + LATE);
		await pi.run(pasted(TASKS));
		assert.equal(byCache(stage).length, 0);
		assert.deepEqual(await compactions(pi), []);
	}));
