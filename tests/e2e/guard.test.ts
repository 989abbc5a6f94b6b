/** What real providers refuse does not leave Pi: results that lost their call, and signed thinking that was touched. */
import assert from "node:assert/strict";
import { appendFileSync } from "node:fs";
import { test } from "node:test";
import { PI_ZIP } from "../host/home.ts";
import { readEntries } from "../host/session-file.ts";
import { CHAT, CLAUDE, RESPONSES, type Stage } from "../host/stage.ts";
import { conversation } from "../server/script.ts";
import { assertPrefixes, atWork, coldReturn, exchanges, placeholders, promptOf, runTasks, view } from "./work.ts";

const extensions = [PI_ZIP];

/** A session whose first call is omitted from the view while its result is not. */
async function orphanedSession(stage: Stage): Promise<string> {
	const pi = stage.rpc();
	await runTasks(pi, 0, 2);
	const session = await pi.sessionFile();
	await pi.close();
	const entries = readEntries(session);
	const call = entries.find(({ message }) => message?.role === "assistant");
	const leaf = entries.at(-1);
	assert.ok(call && leaf);
	const edit = {
		type: "context_edit",
		id: "0e0e0e0e",
		parentId: leaf.id,
		timestamp: leaf.timestamp,
		targetId: call.id,
		replacement: null,
	};
	appendFileSync(session, `${JSON.stringify(edit)}\n`);
	return session;
}

for (const model of [CLAUDE, CHAT, RESPONSES]) {
	test(`a result that lost its call goes out as plain text, ${model.api}`, () =>
		atWork({ models: [model], settings: { retry: { enabled: false } } }, async (stage) => {
			const session = await orphanedSession(stage);
			const refused = stage.rpc({ session });
			await refused.run(promptOf(2));
			assert.equal(stage.server.refused.length, 1, "plain Pi is refused");
			await refused.close();
			const from = stage.server.requests.length;

			const pi = stage.rpc({ extensions, session });
			await pi.run(promptOf(3));
			const requests = stage.server.requests.slice(from);
			assert.ok(requests.length > 1 && requests.every(({ status }) => status === 200));
			assert.ok(
				view(requests[0]!).some((block) => block.includes("TAP version 14, suite 0")),
				"the text is kept",
			);
			assertPrefixes(requests);
		}));
}

test("signed thinking comes back as it was given, in front of folds and behind them", () => {
	const thoughtful = exchanges(5).map(({ prompt, answers }) => ({
		prompt,
		answers: answers.map((answer, at) =>
			typeof answer === "function" ? answer : { ...answer, thinking: `Thought ${at} about: ${prompt}` },
		),
	}));
	const model = { ...CLAUDE, reasoning: true, compat: { forceAdaptiveThinking: true } };
	return atWork({ models: [model], script: conversation(thoughtful) }, async (stage) => {
		const pi = stage.rpc({ extensions, thinking: "high" });
		await coldReturn(stage, pi);
		await pi.run(promptOf(4));
		assert.equal(placeholders(stage.server.main[12]!).length, 4);
		assert.equal(view(stage.server.main[12]!).filter((block) => block.includes("Thought ")).length, 12);
		assertPrefixes(stage.server.main, [12]);
		assert.deepEqual(stage.server.refused, []);
	});
});
