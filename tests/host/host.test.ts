/** The harness with plain Pi: each mode runs, the scripted provider is content, and nothing of the user's is touched. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { conversation, type Exchange } from "../server/script.ts";
import { makeProject, readSlice, runTests } from "./project.ts";
import { readEntries, sessionFiles, toolResults } from "./session-file.ts";
import { CHAT, CLAUDE, onStage, RESPONSES } from "./stage.ts";

const EXCHANGES: Exchange[] = [
	{
		prompt: "Run the tests.",
		answers: [
			{ text: "I run them.", calls: [runTests(1, 120)] },
			{ calls: [readSlice(0, 1, 120), readSlice(1, 1, 120)] },
			{ text: "One fails." },
		],
	},
	{ prompt: "And the other suite?", answers: [{ calls: [runTests(2, 120)] }, { text: "Also one." }] },
];
const script = conversation(EXCHANGES);

for (const model of [CLAUDE, CHAT, RESPONSES]) {
	test(`a long-lived Pi works through two prompts, ${model.api}`, () =>
		onStage({ script, models: [model], cache: model === CLAUDE ? "explicit" : "automatic" }, async (stage) => {
			makeProject(stage.home.project);
			const pi = stage.rpc();
			await pi.run("Run the tests.");
			await stage.advance(60);
			await pi.run("And the other suite?");
			const warm = stage.server.main.at(-2)?.charge;
			assert.ok(warm && warm.read > 5 * (warm.input + warm.write), "the second prompt reads the cache");
			await stage.advance(600);
			await pi.run("And the other suite?");
			assert.equal(stage.server.main[5]?.charge?.read, 0, "nothing is left of the cache after its lifetime");
			assert.equal(stage.server.main.length, 7);
			assert.deepEqual(stage.server.refused, []);
			const entries = readEntries(await pi.sessionFile());
			assert.equal(toolResults(entries).length, 5);
			const usage = entries.findLast(({ message }) => message?.role === "assistant")?.message?.usage;
			const { input, read, write } = stage.server.main.at(-1)!.charge!;
			assert.deepEqual([usage?.input, usage?.cacheRead, usage?.cacheWrite], [input, read, write]);
			assert.equal(await pi.close(), 0);
		}));
}

test("print mode answers on stdout and keeps a session file", () =>
	onStage({ script }, async (stage) => {
		makeProject(stage.home.project);
		const { code, stdout } = await stage.print("Run the tests.");
		assert.equal(code, 0);
		assert.equal(stdout.trim(), "One fails.");
		assert.equal(sessionFiles(stage.home.sessions).length, 1);
	}));

test("JSON mode writes events only", () =>
	onStage({ script }, async (stage) => {
		makeProject(stage.home.project);
		const { code, stdout } = await stage.json("Run the tests.");
		assert.equal(code, 0);
		const events = stdout
			.trimEnd()
			.split("\n")
			.map((line) => JSON.parse(line) as { type: string });
		assert.equal(events[0]?.type, "session");
		assert.ok(events.some(({ type }) => type === "agent_settled"));
	}));

test("the terminal shows prompt and answer", () =>
	onStage({ script }, async (stage) => {
		makeProject(stage.home.project);
		const pi = stage.terminal();
		await pi.until((screen) => screen.includes(CLAUDE.id));
		await pi.submit("Run the tests.");
		await pi.until((screen) => screen.includes("One fails."));
	}));

test("an answer that hangs can be aborted, and the next prompt works", () =>
	onStage(
		{
			script: conversation([
				{ prompt: "Wait.", answers: [{ text: "A long answer begins here.", hang: true }] },
				...EXCHANGES,
			]),
		},
		async (stage) => {
			makeProject(stage.home.project);
			const pi = stage.rpc();
			const settled = pi.settled();
			await pi.ask("prompt", { message: "Wait." });
			await stage.server.hung(1);
			await pi.ask("abort");
			await settled;
			// The server hears of the closed connection a moment later.
			for (let look = 0; look < 100 && !stage.server.main[0]?.aborted; look += 1) await sleep(50);
			assert.ok(stage.server.main[0]?.aborted);
			await pi.run("Run the tests.");
			assert.deepEqual(stage.server.refused, []);
		},
	));

test("an overloaded provider is asked again", () => {
	let fails = 1;
	const flaky = conversation([
		{
			prompt: "Hello.",
			answers: [
				() =>
					fails-- > 0 ? { error: { status: 529, type: "overloaded_error", message: "Overloaded" } } : { text: "Hi." },
			],
		},
	]);
	return onStage({ script: flaky }, async (stage) => {
		const { stdout } = await stage.print("Hello.");
		assert.equal(stdout.trim(), "Hi.");
		assert.deepEqual(
			stage.server.main.map(({ status }) => status),
			[529, 200],
		);
	});
});

test("the network record shows the model's address", () =>
	onStage({ script }, async (stage) => {
		const network = join(stage.home.root, "network");
		await stage.print("Hello.", { network });
		assert.ok(existsSync(network));
		const places = new Set(readFileSync(network, "utf8").trim().split("\n"));
		assert.deepEqual([...places], [`127.0.0.1:${stage.server.port}`]);
	}));
