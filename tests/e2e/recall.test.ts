/** What was folded comes back byte for byte through the tool, in each of the places a session can get to. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { PI_ZIP } from "../host/home.ts";
import type { RpcPi } from "../host/rpc.ts";
import { type FileEntry, type Message, readEntries, texts, toolResults } from "../host/session-file.ts";
import type { Stage } from "../host/stage.ts";
import { conversation, type Exchange, type Prompt } from "../server/script.ts";
import { atWork, coldReturn, exchanges, FOLDED, foldedTexts } from "./work.ts";

const extensions = [PI_ZIP];
const RECALL = "Fetch all that is folded.";
const RECALL_FIRST = "Fetch the first folded output.";

function seenHandles({ messages }: Prompt): string[] {
	return messages
		.filter(({ role, text }) => role === "tool" && text.startsWith(FOLDED))
		.map(({ text }) => /handle ([0-9a-z]{10})/.exec(text)?.[1] ?? "no handle");
}

/** Handles are noted at the cold return, so that they can be used when they are out of view. */
function recalling(known: string[]): Exchange[] {
	const note = (prompt: Prompt) => {
		known.splice(0, known.length, ...seenHandles(prompt));
		return known;
	};
	const one = (handle: string) => ({ name: "zip_recall", input: { handle } });
	return [
		{ prompt: RECALL, answers: [(prompt) => ({ text: "All of them.", calls: note(prompt).map(one) })] },
		{ prompt: RECALL_FIRST, answers: [() => ({ text: "The first.", calls: [one(known[0] ?? "none")] })] },
	];
}

/** Results of the recall tool, newest last. */
const recalled = (entries: FileEntry[]): Message[] =>
	toolResults(entries).flatMap(({ message }) => (message?.toolName === "zip_recall" ? [message] : []));

/** One of the answer's blocks is the original and nothing else. */
function assertExact(answer: Message | undefined, original: FileEntry | undefined): void {
	assert.ok(answer && original?.message);
	const wanted = texts(original.message).join("");
	assert.ok(
		texts(answer).includes(wanted),
		`no block equals the original: ${JSON.stringify(texts(answer)).slice(0, 300)}`,
	);
}

function atRecall(body: (stage: Stage, known: string[]) => Promise<void>): Promise<void> {
	const known: string[] = [];
	const script = conversation([...exchanges(8), ...recalling(known)]);
	return atWork({ script, settings: { compaction: { keepRecentTokens: 3000 } } }, (stage) => body(stage, known));
}

async function recallFirst(pi: RpcPi): Promise<void> {
	await pi.run(RECALL_FIRST);
	const entries = readEntries(await pi.sessionFile());
	assertExact(recalled(entries).at(-1), toolResults(entries)[0]);
}

test("each folded output comes back as it was, and what was recalled is not folded again", () =>
	atRecall(async (stage, known) => {
		const pi = stage.rpc({ extensions });
		await coldReturn(stage, pi);
		await pi.run(RECALL);
		const entries = readEntries(await pi.sessionFile());
		const answers = recalled(entries);
		const atFirst = foldedTexts(entries);
		const originals = toolResults(entries).filter(({ id }) => atFirst.has(id));
		assert.ok(known.length > 1);
		assert.deepEqual([answers.length, originals.length], [known.length, known.length]);
		for (const [at, answer] of answers.entries()) assertExact(answer, originals[at]);
		for (let n = 4; n < 7; n += 1) {
			await stage.advance(600);
			await pi.run(`Task ${n}: see to module ${n} and its tests.`);
		}
		const later = readEntries(await pi.sessionFile());
		const folded = foldedTexts(later);
		assert.ok(folded.size > atFirst.size, "later tasks are folded");
		const results = toolResults(later).filter(({ message }) => message?.toolName === "zip_recall");
		assert.ok(
			results.every(({ id }) => !folded.has(id)),
			"no recalled page is folded",
		);
		assert.deepEqual(stage.server.refused, []);
	}));

test("a recall works when off, after a resume, in a fork and after a compaction", () =>
	atRecall(async (stage) => {
		const pi = stage.rpc({ extensions });
		await coldReturn(stage, pi);
		await pi.run(RECALL);
		await pi.run("/zip off");
		await recallFirst(pi);
		const session = await pi.sessionFile();
		await pi.close();

		const resumed = stage.rpc({ extensions, session });
		await recallFirst(resumed);
		await resumed.run("/zip on");
		await resumed.ask("clone");
		assert.notEqual(await resumed.sessionFile(), session);
		await recallFirst(resumed);
		await resumed.ask("compact");
		await recallFirst(resumed);
		assert.deepEqual(stage.server.refused, []);
		assert.deepEqual(resumed.extensionErrors, []);
	}));

test("a handle that names nothing gets an answer, not a failure of the run", () =>
	atRecall(async (stage, known) => {
		const pi = stage.rpc({ extensions });
		await coldReturn(stage, pi);
		known.push("0000000000");
		await pi.run(RECALL_FIRST);
		const [answer] = recalled(readEntries(await pi.sessionFile()));
		assert.ok(answer && texts(answer).join("\n").includes("0000000000"));
		assert.deepEqual(stage.server.refused, []);
	}));
