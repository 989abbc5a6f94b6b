/** The main job: the first prompt after the cache has expired goes out folded, and stays as it was sent. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { PI_ZIP } from "../host/home.ts";
import { readEntries, texts, toolResults } from "../host/session-file.ts";
import { CHAT, CLAUDE, RESPONSES } from "../host/stage.ts";
import { conversation } from "../server/script.ts";
import {
	assertPrefixes,
	atWork,
	CHEAP_READS,
	coldReturn,
	exchange,
	exchanges,
	foldedTexts,
	placeholders,
	promptOf,
	view,
} from "./work.ts";

const extensions = [PI_ZIP];
/** Requests of a task of two tool rounds and a glance. */
const REQUESTS = 4;

/** So long that the head of an automatic cache, which is never folded, ends with it. */
const NOTES = {
	prompt: `Notes: ${"all that is known so far. ".repeat(1_600)}`,
	answers: [{ text: "I have read them." }],
};

for (const base of [CLAUDE, CHAT, RESPONSES]) {
	const model = { ...base, prices: CHEAP_READS };
	test(`a cold return is folded, cheaper, persisted as sent, and stable, ${model.api}`, () => {
		const cache = base === CLAUDE ? "explicit" : "automatic";
		const script = conversation([NOTES, ...exchanges(8)]);
		return atWork({ models: [model], cache, script }, async (stage) => {
			const pi = stage.rpc({ extensions });
			await pi.run(NOTES.prompt);
			await coldReturn(stage, pi);
			const returned = 1 + 3 * REQUESTS;
			const [before, first] = stage.server.main.slice(returned - 1);
			assert.ok(before && first);
			assert.equal(placeholders(before).length, 0);
			// Tasks 0 and 1 lie outside the last two user turns; each has two outputs.
			assert.equal(placeholders(first).length, 4);
			assert.ok(first.size < before.size, `${first.size} tokens after ${before.size}`);
			assert.equal(first.charge?.read, 0);

			await stage.advance(30);
			await pi.run(promptOf(4));
			assertPrefixes(stage.server.main, [returned]);
			const warm = stage.server.main[returned + REQUESTS]!;
			assert.ok(warm.charge!.read > warm.charge!.write, "the folded prefix is read from the cache");

			const file = await pi.sessionFile();
			const entries = readEntries(file);
			const folded = foldedTexts(entries);
			assert.equal(folded.size, 4);
			for (const text of folded.values()) {
				const inRequest = JSON.stringify(text);
				assert.ok(
					placeholders(first).some((block) => block.includes(inRequest)),
					`sent as persisted: ${text}`,
				);
			}
			for (const result of toolResults(entries).slice(0, 4)) {
				assert.ok(!texts(result.message!).join("").includes("[folded"), "the original stays in the file");
			}
			assert.equal(pi.notices.length, 1, pi.notices.join("\n"));
			assert.deepEqual(stage.server.refused, []);
			assert.deepEqual(pi.extensionErrors, []);
			assert.equal(await pi.close(), 0);
		});
	});
}

test("a second cold return folds what has grown old since, and leaves the earlier folds as they are", () =>
	atWork({}, async (stage) => {
		const pi = stage.rpc({ extensions });
		await coldReturn(stage, pi);
		await stage.advance(600);
		await pi.run(promptOf(4));
		const [first, second] = [stage.server.main[3 * REQUESTS]!, stage.server.main[4 * REQUESTS]!];
		assert.equal(placeholders(second).length, 6);
		assert.deepEqual(placeholders(second).slice(0, 4), placeholders(first));
		assertPrefixes(stage.server.main, [3 * REQUESTS, 4 * REQUESTS]);
	}));

test("a cold return is folded also where the one before it took a single request", () => {
	const { prompt, answers } = exchange(2);
	// Glances enough for its outputs to be old at the second return.
	const [, , glance, done] = answers;
	const glances = { prompt, answers: [...answers.slice(0, 2), glance!, glance!, glance!, glance!, done!] };
	const script = conversation([exchange(0), exchange(1), glances, exchange(3, 0), exchange(4, 0)]);
	return atWork({ script }, async (stage) => {
		const pi = stage.rpc({ extensions });
		for (let n = 0; n < 3; n += 1) await pi.run(promptOf(n));
		await stage.advance(600);
		await pi.run(promptOf(3));
		await stage.advance(600);
		await pi.run(promptOf(4));
		const [first, second] = stage.server.main.slice(-2);
		assert.equal(placeholders(first!).length, 4);
		assert.equal(placeholders(second!).length, 6);
		assert.deepEqual(placeholders(second!).slice(0, 4), placeholders(first!));
	});
});

test("a warm session is sent exactly as plain Pi sends it", () =>
	atWork({}, (plain) =>
		atWork({ project: plain.home.project }, async (zipped) => {
			const [left, right] = [plain.rpc(), zipped.rpc({ extensions })];
			for (let n = 0; n < 4; n += 1) {
				await Promise.all([left.run(promptOf(n)), right.run(promptOf(n))]);
				await Promise.all([plain.advance(120), zipped.advance(120)]);
			}
			const sent = (stage: typeof plain) =>
				stage.server.main.map(({ body }) => JSON.stringify([body.messages, body.system]));
			assert.deepEqual(sent(zipped), sent(plain));
			assert.deepEqual(right.notices, []);
		}),
	));

test("/zip off sends what plain Pi sends, and /zip on folds again", () =>
	atWork({}, async (stage) => {
		const pi = stage.rpc({ extensions });
		await pi.run(promptOf(0));
		await pi.run("/zip off");
		for (let n = 1; n < 4; n += 1) {
			await stage.advance(600);
			await pi.run(promptOf(n));
		}
		assertPrefixes(stage.server.main);
		assert.equal(stage.server.main.flatMap(placeholders).length, 0);
		await pi.run("/zip on");
		await stage.advance(600);
		await pi.run(promptOf(4));
		assert.equal(placeholders(stage.server.main[4 * REQUESTS]!).length, 6);
	}));

test("another model finds nothing cached, so its first request is folded", () =>
	atWork({ models: [CLAUDE, { ...CLAUDE, id: "claude-other" }] }, async (stage) => {
		const pi = stage.rpc({ extensions });
		for (let n = 0; n < 3; n += 1) await pi.run(promptOf(n));
		await pi.ask("set_model", { provider: "scripted", modelId: "claude-other" });
		await pi.run(promptOf(3));
		const first = stage.server.main[3 * REQUESTS]!;
		assert.equal(first.model, "claude-other");
		assert.equal(placeholders(first).length, 4);
		assertPrefixes(stage.server.main);
		assert.deepEqual(stage.server.refused, []);
	}));

test("parallel calls are folded together and none is lost", () => {
	const parallel = exchanges(6).map(({ prompt, answers }) => {
		const calls = answers.flatMap((answer) => (typeof answer === "function" ? [] : (answer.calls ?? [])));
		return { prompt, answers: [{ text: "All at once.", calls }, { text: "Done." }] };
	});
	return atWork({ script: conversation(parallel) }, async (stage) => {
		const pi = stage.rpc({ extensions });
		await coldReturn(stage, pi, 5);
		const first = stage.server.main[5 * 2]!;
		// Tasks 0 to 3 lie outside the last two user turns; the files read in two of them may still be worked on.
		assert.equal(placeholders(first).length, 6);
		assert.equal(view(first).length, view(stage.server.main[5 * 2 - 1]!).length + 2);
		assertPrefixes(stage.server.main, [5 * 2]);
		assert.deepEqual(stage.server.refused, []);
	});
});
