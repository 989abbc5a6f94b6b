/** The model finds what is out of its view by its content, and gets it byte for byte by the handle of the hit. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { PI_ZIP } from "../host/home.ts";
import { type FileEntry, readEntries, texts, toolResults } from "../host/session-file.ts";
import { type Answer, conversation, type Exchange, type Prompt } from "../server/script.ts";
import { atWork, coldReturn, exchanges, promptOf } from "./work.ts";

const extensions = [PI_ZIP];
const FIND = "Find it, and fetch it.";

/** Searches with `input`, recalls the first hit, and is done. */
function finding(input: { [name: string]: string }): Exchange {
	const search: Answer = { text: "I look for it.", calls: [{ name: "zip_search", input }] };
	const fetch = ({ messages }: Prompt): Answer => {
		const handle = /^([0-9a-z]{10}\S*) line /m.exec(messages.at(-1)?.text ?? "")?.[1] ?? "none";
		return { text: "I fetch it.", calls: [{ name: "zip_recall", input: { handle } }] };
	};
	return { prompt: FIND, answers: [search, fetch, { text: "Found." }] };
}

const answersOf = (entries: FileEntry[], tool: string): string[][] =>
	toolResults(entries).flatMap(({ message }) => (message?.toolName === tool ? [texts(message)] : []));

test("a folded output is found by a line of it and fetched, after a compaction too", () =>
	atWork(
		{
			script: conversation([...exchanges(8), finding({ pattern: "^# tests \\d+ pass \\d+ fail 1$", turns: "1" })]),
			settings: { compaction: { keepRecentTokens: 3000 } },
		},
		async (stage) => {
			const pi = stage.rpc({ extensions });
			await coldReturn(stage, pi);
			await pi.run(FIND);
			let entries = readEntries(await pi.sessionFile());
			const [output] = toolResults(entries);
			const original = texts(output!.message!).join("");
			assert.match(answersOf(entries, "zip_search")[0]!.join(""), /1 of 1 line.* · turn 1 · folded · bash /s);
			assert.ok(answersOf(entries, "zip_recall")[0]!.includes(original));

			await pi.ask("compact");
			await pi.run(FIND);
			entries = readEntries(await pi.sessionFile());
			assert.match(
				answersOf(entries, "zip_search").at(-1)!.join(""),
				/ · turn 1 · out of view · summary \w{10} · bash /,
			);
			assert.ok(answersOf(entries, "zip_recall").at(-1)!.includes(original));
			assert.deepEqual(stage.server.refused, []);
			assert.deepEqual(pi.extensionErrors, []);
		},
	));

test("a prompt and the argument of a call come back exactly", () =>
	atWork({ script: conversation([...exchanges(3), finding({ query: `"${promptOf(1)}"` })]) }, async (stage) => {
		const pi = stage.rpc({ extensions });
		await pi.run(promptOf(0));
		await pi.run(promptOf(1));
		await pi.run(FIND);
		const entries = readEntries(await pi.sessionFile());
		assert.match(answersOf(entries, "zip_search")[0]!.join(""), / · turn 2 · in view · user message\n> 1\| /);
		assert.equal(answersOf(entries, "zip_recall")[0]![1], promptOf(1));
		assert.deepEqual(pi.extensionErrors, []);
	}));

test("another session finds what this one, still open, was told, and fetches it from the file", () =>
	atWork(
		{ script: conversation([...exchanges(3), finding({ query: `"${promptOf(1)}"`, where: "project", role: "user" })]) },
		async (stage) => {
			const first = stage.rpc({ extensions });
			await first.run(promptOf(0));
			await first.run(promptOf(1));
			const second = stage.rpc({ extensions });
			await second.run(FIND);
			const entries = readEntries(await second.sessionFile());
			const found = answersOf(entries, "zip_search")[0]!.join("");
			assert.match(found, /1 of 1 text.* 1 past session searched/);
			assert.match(
				found,
				/^[0-9a-z]{10}@[0-9a-f]{8} line 1 · session of \d{4}-\d\d-\d\d in \S+ · turn 2 · user message/m,
			);
			assert.equal(answersOf(entries, "zip_recall")[0]![1], promptOf(1));
			assert.deepEqual([...first.extensionErrors, ...second.extensionErrors], []);
			assert.deepEqual(stage.server.refused, []);
		},
	));
