/** What returns teach of the cache's life, in real Pi: within a session, across processes, in each mode. */
import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { PI_ZIP, PROVIDER } from "../host/home.ts";
import { CHAT, CLAUDE, RESPONSES, type Stage } from "../host/stage.ts";
import { conversation } from "../server/script.ts";
import { atWork, CHEAP_READS, exchanges, placeholders, promptOf, runTasks } from "./work.ts";

const extensions = [PI_ZIP];
/** Requests of a task of four tool rounds: enough of them to be worth learning from. */
const ROUNDS = 4;
const REQUESTS = ROUNDS + 1;
const script = () => conversation(exchanges(10, ROUNDS));
const LEARNED = "pi-zip/cache-survival.json";

interface Counts {
	[provider: string]: { [model: string]: { [tier: string]: { [bin: string]: number[] } } };
}

function learned(stage: Stage, model: string, tier = "short"): { [bin: string]: number[] } | undefined {
	const { version, caches } = JSON.parse(readFileSync(join(stage.home.agent, LEARNED), "utf8"));
	assert.equal(version, 3);
	return (caches as Counts)[PROVIDER]?.[model]?.[tier];
}

/** Placeholders that each task's first request shows for the first time. */
function folds(stage: Stage, task: number): number {
	const [before, first] = stage.server.main.slice(task * REQUESTS - 1);
	return placeholders(first!).length - placeholders(before!).length;
}

for (const base of [CHAT, RESPONSES]) {
	const model = { ...base, prices: CHEAP_READS };
	test(`an automatic cache that is read in full after 365 s is warm at the next return after 365 s, ${model.id}`, () =>
		atWork({ script: script(), models: [model], cache: "automatic", lifetime: 1800 }, async (stage) => {
			const pi = stage.rpc({ extensions });
			await runTasks(pi, 0, 4);
			await stage.advance(365);
			await pi.run(promptOf(4));
			assert.ok(folds(stage, 4) > 0, "taken for cold: five minutes are assumed");
			assert.equal(learned(stage, model.id)?.[360]?.[2], 1);
			await stage.advance(365);
			await pi.run(promptOf(5));
			assert.equal(folds(stage, 5), 0, "warm");
			const charge = stage.server.main[5 * REQUESTS]!.charge!;
			assert.ok(charge.read > charge.write, "and so it was");
		}));
}

test("an explicit cache of five minutes that was not read after 360 s stays cold", () =>
	atWork({ script: script() }, async (stage) => {
		const pi = stage.rpc({ extensions });
		await runTasks(pi, 0, 4);
		for (const task of [4, 5, 6]) {
			await stage.advance(360);
			await pi.run(promptOf(task));
			assert.ok(folds(stage, task) > 0, `task ${task}`);
		}
		await stage.advance(280);
		await pi.run(promptOf(7));
		assert.equal(folds(stage, 7), 0, "and within five minutes it is warm");
		const { 240: within } = learned(stage, CLAUDE.id) ?? {};
		assert.equal(within?.[2], 1);
		assert.deepEqual(stage.server.refused, []);
	}));

test("a process that ends at once leaves what it saw to the next one, for its owner alone, and nothing else", () =>
	atWork({ script: script(), models: [CHAT], cache: "automatic", lifetime: 1800 }, async (stage) => {
		const pi = stage.rpc({ extensions });
		await runTasks(pi, 0, 4);
		const session = await pi.sessionFile();
		await pi.close();
		await stage.advance(200);
		const printed = await stage.print(promptOf(4), { extensions, session });
		assert.deepEqual([printed.code, printed.stderr], [0, ""]);
		const file = join(stage.home.agent, LEARNED);
		assert.equal(statSync(file).mode & 0o777, 0o600);
		assert.equal(learned(stage, CHAT.id)?.[180]?.[2], 1);
		await stage.advance(200);
		const json = await stage.json(promptOf(5), { extensions, session });
		assert.deepEqual([json.code, json.stderr], [0, ""]);
		assert.equal(learned(stage, CHAT.id)?.[180]?.[2], 2);
		assert.match(readFileSync(file, "utf8"), /^[\s\w{}[\]:",.-]*$/);
		assert.doesNotMatch(readFileSync(file, "utf8"), /task|module|test/i);
	}));

test("a file that cannot be used is no error", () =>
	atWork(
		{ script: script(), models: [{ ...CHAT, prices: CHEAP_READS }], cache: "automatic", lifetime: 1800 },
		async (stage) => {
			const newer = join(stage.home.root, "newer.json");
			const text = '{"version": 1000, "caches": 7}';
			writeFileSync(newer, text);
			const pi = stage.rpc({ extensions, env: { PI_ZIP_CACHE_STATS: newer, PI_ZIP_TEST_ROOT: stage.home.root } });
			await runTasks(pi, 0, 4);
			await stage.advance(365);
			await pi.run(promptOf(4));
			await stage.advance(365);
			await pi.run(promptOf(5));
			assert.equal(folds(stage, 5), 0, "what the process has seen counts");
			assert.equal(readFileSync(newer, "utf8"), text);
			assert.deepEqual(pi.extensionErrors, []);
		},
	));
