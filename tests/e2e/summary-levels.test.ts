/** Many summaries in one session: how long they get, what they are made from, and what leads back to the originals. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { PI_ZIP } from "../host/home.ts";
import type { RpcPi } from "../host/rpc.ts";
import { type FileEntry, readEntries, texts, toolResults } from "../host/session-file.ts";
import { CLAUDE } from "../host/stage.ts";
import { type Call, conversation, type Exchange } from "../server/script.ts";
import { atWork, exchanges, runTasks } from "./work.ts";

const SUMMARIES = 10;
const TASKS_EACH = 2;
const MOST_OF_FIRST = 1.5;

interface Compaction extends FileEntry {
	summary: string;
	details?: { by?: string; path?: string };
}

const compactionsIn = (entries: FileEntry[]) => entries.filter(({ type }) => type === "compaction") as Compaction[];

const narrative = (n: number) =>
	`### In short\nPart ${n} was seen to.\n\n### Decisions and why\n${`Of part ${n} the parser stays as it is. `.repeat(40)}`;

/** What the next call of a tool is to be. */
function calling(name: string, next: Pick<Call, "input">): Exchange {
	return { prompt: `Call ${name}.`, answers: [() => ({ text: "Now.", calls: [{ name, input: next.input }] })] };
}

test("ten summaries in one session: none much longer than the first, no entry an input twice, all of it still to be had", async () => {
	const recall = { input: {} as Call["input"] };
	const search = { input: {} as Call["input"] };
	const script = conversation([
		...exchanges(SUMMARIES * TASKS_EACH, 2),
		calling("zip_recall", recall),
		calling("zip_search", search),
	]);
	const settings = { compaction: { keepRecentTokens: 1_000, reserveTokens: 16_000 } };
	const options = { models: [CLAUDE], settings, script, summary: (index: number) => ({ text: narrative(index) }) };
	await atWork(options, async (stage) => {
		writeFileSync(join(stage.home.agent, "pi-zip.json"), '{"summaries": "uncached"}');
		const pi = stage.rpc({ extensions: [PI_ZIP] });
		for (let n = 0; n < SUMMARIES; n += 1) {
			await runTasks(pi, n * TASKS_EACH, (n + 1) * TASKS_EACH);
			await pi.ask("compact");
		}
		const entries = readEntries(await pi.sessionFile());
		const made = compactionsIn(entries);
		assert.deepEqual(
			made.map(({ details }) => details?.path),
			Array(SUMMARIES).fill("uncached"),
		);
		const lengths = made.map(({ summary }) => summary.length);
		assert.ok(lengths.at(-1)! <= MOST_OF_FIRST * lengths[0]!, `${lengths}`);

		const inputs = stage.server.requests
			.filter(({ kind }) => kind === "summary")
			.map(({ blocks }) => blocks.map(({ text }) => text).join("\n"));
		assert.equal(inputs.length, SUMMARIES);
		const kept = entries.findIndex(({ id }) => id === (made.at(-1) as { firstKeptEntryId?: string }).firstKeptEntryId);
		let counted = 0;
		for (const entry of toolResults(entries)) {
			const [first] = /^TAP version 14, suite \d+/.exec(texts(entry.message!).join("")) ?? [];
			if (first === undefined) continue;
			const times = inputs.filter((input) => new RegExp(`${first}\\b`).test(input)).length;
			assert.equal(times, entries.indexOf(entry) < kept ? 1 : 0, `${first} was an input ${times} times`);
			counted += times;
		}
		assert.ok(counted > SUMMARIES);
		for (let n = 0; n < SUMMARIES; n += 1) {
			const times = inputs.filter((input) => input.includes(`Of part ${n} the parser stays as it is. Of part`)).length;
			assert.ok(times <= 1, `the narrative ${n} was sent ${times} times at length`);
		}

		const newest = made.at(-1)!.summary;
		const [whole = ""] = /(?<=, summary )\w{10}/.exec(newest) ?? [];
		const result = await answerTo(pi, "zip_recall", recall, { handle: whole });
		const ids = [...result.matchAll(/^(\w{10}): summary of depth (\d), \d+ entries with \d+ characters$/gm)];
		assert.ok(ids.length >= 2, result.slice(0, 2_000));
		assert.match(result, /covers \d+ entries with \d+ characters; the originals follow in order from line \d+ on\./);
		const [, oldest = ""] = ids[0] ?? [];
		const covers = await answerTo(pi, "zip_search", search, { in: oldest });
		assert.match(
			covers,
			/covers \d+ entries from \w+ to \w+: \d+ messages of the user, \d+ answers, \d+ outputs; \d+ char/,
		);
		assert.match(covers, /Reading all takes about [\d.]+K? tokens \(\$[\d.]+ as input\)/);
		assert.match(covers, /^- \w{10}, read \d+: src\/\w+\.js · code, \d+ declarations: function /m);
		const hit = await answerTo(pi, "zip_search", search, { query: '"TAP version 14, suite 0"', in: whole });
		const [, handle = "", leaf = ""] = /^(\w{10}) line 1 · turn 1 · out of view · summary (\w{10}) · /m.exec(hit) ?? [];
		assert.notEqual(leaf, "", hit);
		assert.match(
			await answerTo(pi, "zip_search", search, { query: "suite 0", in: "0000000000" }),
			/no summary has the id/,
		);
		await answerTo(pi, "zip_recall", recall, { handle });
		const shown = toolResults(readEntries(await pi.sessionFile())).at(-1)!.message!;
		const original = texts(toolResults(entries)[0]!.message!).join("");
		assert.ok(original.startsWith("TAP version 14, suite 0"));
		assert.ok(texts(shown).includes(original), "the first turn's output comes back as it was");
		assert.deepEqual(stage.server.refused, []);
		assert.deepEqual(pi.extensionErrors, []);
	});
});

async function answerTo(pi: RpcPi, tool: string, next: Pick<Call, "input">, input: Call["input"]): Promise<string> {
	Object.assign(next, { input });
	await pi.run(`Call ${tool}.`);
	return texts(toolResults(readEntries(await pi.sessionFile())).at(-1)!.message!).join("\n");
}
