/** What can cut a run that carries a plan short: abort, steering, failure, SIGKILL. The view stays one view. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { PI_ZIP } from "../host/home.ts";
import { readEntries } from "../host/session-file.ts";
import { type Answer, conversation, type Prompt } from "../server/script.ts";
import {
	AWAY,
	assertPrefixes,
	atWork,
	continues,
	exchange,
	exchanges,
	foldedTexts,
	placeholders,
	promptOf,
	runTasks,
	view,
} from "./work.ts";

const extensions = [PI_ZIP];
/** Requests of the three warm tasks in front. */
const WARM = 12;

/** Tasks as usual, but task 3 answers its first request by `answer` once, and as usual afterwards. */
function onceAt3(answer: Answer) {
	let left = 1;
	const usual = exchange(3);
	const first = (prompt: Prompt): Answer => {
		left -= 1;
		if (left >= 0) return answer;
		const given = usual.answers[0]!;
		return typeof given === "function" ? given(prompt) : given;
	};
	return conversation([
		...exchanges(3),
		{ ...usual, answers: [first, ...usual.answers.slice(1)] },
		exchange(4),
		exchange(5),
	]);
}

test("an aborted answer still leaves what was sent, and the next prompt goes on from it", () =>
	atWork({ script: onceAt3({ text: "A long answer begins here.", hang: true }) }, async (stage) => {
		const pi = stage.rpc({ extensions });
		await runTasks(pi, 0, 3);
		await stage.advance(AWAY);
		const settled = pi.settled();
		await pi.ask("prompt", { message: promptOf(3) });
		await stage.server.hung(1);
		await pi.ask("abort");
		await settled;
		const sent = stage.server.main[WARM]!;
		assert.equal(placeholders(sent).length, 4);
		assert.equal(foldedTexts(readEntries(await pi.sessionFile())).size, 4);
		await pi.run(promptOf(4));
		assertPrefixes(stage.server.main, [WARM]);
		assert.deepEqual(stage.server.refused, []);
	}));

test("a run aborted inside a tool still leaves what was sent", () => {
	const slow: Answer = { text: "This takes long.", calls: [{ name: "bash", input: { command: "sleep 60" } }] };
	return atWork({ script: onceAt3(slow) }, async (stage) => {
		const pi = stage.rpc({ extensions });
		await runTasks(pi, 0, 3);
		await stage.advance(AWAY);
		const [running, settled] = [pi.event(({ type }) => type === "tool_execution_start"), pi.settled()];
		await pi.ask("prompt", { message: promptOf(3) });
		await running;
		await pi.ask("abort");
		await settled;
		assert.equal(foldedTexts(readEntries(await pi.sessionFile())).size, 4);
		await pi.run(promptOf(4));
		assertPrefixes(stage.server.main, [WARM]);
		assert.deepEqual(stage.server.refused, []);
	});
});

test("a provider that fails once gets the same folded view again", () =>
	atWork(
		{ script: onceAt3({ error: { status: 529, type: "overloaded_error", message: "Overloaded" } }) },
		async (stage) => {
			const pi = stage.rpc({ extensions });
			await runTasks(pi, 0, 3);
			await stage.advance(AWAY);
			await pi.run(promptOf(3));
			await pi.run(promptOf(4));
			const [failed, again] = stage.server.main.slice(WARM);
			assert.equal(failed?.status, 529);
			assert.equal(placeholders(failed!).length, 4);
			assert.ok(continues(again!, failed!) && continues(failed!, again!));
			assertPrefixes(stage.server.main, [WARM]);
			assert.equal(foldedTexts(readEntries(await pi.sessionFile())).size, 4);
		},
	));

test("steering and follow-ups belong to the turn they came in", () =>
	atWork({}, async (stage) => {
		const pi = stage.rpc({ extensions });
		await runTasks(pi, 0, 2);
		const [tool, settled] = [pi.event(({ type }) => type === "tool_execution_start"), pi.settled()];
		await pi.ask("prompt", { message: promptOf(2) });
		await tool;
		await pi.ask("steer", { message: "Look at the store first." });
		await pi.ask("follow_up", { message: "And say which file it was." });
		await settled;
		const warm = stage.server.main.length;
		await stage.advance(AWAY);
		await pi.run(promptOf(3));
		const first = stage.server.main[warm]!;
		assert.ok(view(first).some((block) => block.includes("Look at the store first.")));
		assert.ok(view(first).some((block) => block.includes("And say which file it was.")));
		// Task 2 with its two additions is one user turn, the last but one: only tasks 0 and 1 are folded.
		assert.equal(placeholders(first).length, 4);
		assertPrefixes(stage.server.main, [warm]);
		assert.deepEqual(stage.server.refused, []);
	}));

for (const [when, answer] of [
	["while the answer streams", { text: "A long answer begins here.", hang: true }],
	["while its tool runs", { text: "This takes long.", calls: [{ name: "bash", input: { command: "sleep 60" } }] }],
] as [string, Answer][]) {
	test(`Pi killed ${when}: the next start sends the folded view or the unfolded one, never a third`, () =>
		atWork({ script: onceAt3(answer) }, async (stage) => {
			const pi = stage.rpc({ extensions });
			await runTasks(pi, 0, 3);
			const session = await pi.sessionFile();
			await stage.advance(AWAY);
			const running = answer.hang ? stage.server.hung(1) : pi.event(({ type }) => type === "tool_execution_start");
			await pi.ask("prompt", { message: promptOf(3) });
			await running;
			await pi.kill();
			const [unfolded, folded] = stage.server.main.slice(WARM - 1);
			assert.equal(placeholders(folded!).length, 4);
			const again = stage.rpc({ extensions, session });
			await again.run(promptOf(4));
			const next = stage.server.main[WARM + 1]!;
			assert.ok(continues(next, folded!) || continues(next, unfolded!), "a third view was sent");
			assert.deepEqual(stage.server.refused, []);
			assertPrefixes(stage.server.main.slice(WARM + 1));
		}));
}
