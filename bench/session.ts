/**
 * Makes a session file of a given size by a seed: prompts, tool rounds with reads, test reports, searches and edits, in
 * the mix of recorded sessions. Compacted where Pi would compact it, so that what is in view fits a model's window, or
 * never: then all of it is in view, which is more than any model reads.
 */

import { closeSync, openSync, writeSync } from "node:fs";
import { Random } from "../tests/session/random.ts";

export interface SessionSize {
	entries: number;
	/** Bytes of the whole file, about. */
	bytes: number;
	compacts: boolean;
}

/** Characters in view at which the session is compacted: about 180,000 tokens, as Pi does for a window of 200,000. */
const COMPACTS_AT = 600_000;

export const PROVIDER = "bench";
export const MODEL = "bench-1";

type Loose = Record<string, unknown>;

/** Milliseconds between two entries. */
const STEP = 2_000;
/** Real tokens to four characters that the reports claim. */
const REPORTED_FACTOR = 1.2;
/** Bytes of an entry beside its output, about: ids, usage, call, prose. */
const ENTRY_BYTES = 420;
/** Share of entries that are tool results, and the mean of their weights below, by construction. */
const RESULT_SHARE = 0.53;
const MEAN_WEIGHT = 1.02;

const WORDS = "session entry token cache prompt result value index file test module user order price total stock".split(
	" ",
);

/** What tools return: how often, how large against the others, and a line of it. */
const TOOLS = [
	{ often: 35, weight: 1.2, name: "read", args: readArgs, line: codeLine },
	{ often: 30, weight: 1.4, name: "bash", args: bashArgs, line: reportLine },
	{ often: 15, weight: 0.9, name: "grep", args: grepArgs, line: matchLine },
	{ often: 20, weight: 0.08, name: "edit", args: editArgs, line: codeLine },
] as const;

/** Writes the file; its newest entry is from `end`, in milliseconds since the epoch. */
export function writeSession(file: string, size: SessionSize, seed: number, end: number): void {
	const random = new Random(seed);
	const units = (size.bytes / size.entries - ENTRY_BYTES) / (RESULT_SHARE * MEAN_WEIGHT);
	const out = openSync(file, "w");
	const start = end - size.entries * STEP;
	const lines: string[] = [];
	let count = 0;
	let parentId: string | null = null;
	let context = 0;
	const write = (entry: Loose) => {
		const id = `e${(seed * 100_003 + count).toString(16).padStart(8, "0")}`;
		const timestamp = start + count * STEP;
		const message = entry.message && { ...(entry.message as Loose), timestamp };
		lines.push(JSON.stringify({ ...entry, message, id, parentId, timestamp: new Date(timestamp).toISOString() }));
		parentId = id;
		count += 1;
		if (lines.length >= 200) writeSync(out, `${lines.splice(0).join("\n")}\n`);
	};
	const add = (message: Loose, held: number) => {
		write({ type: "message", message });
		context += held;
	};
	lines.push(
		JSON.stringify({
			type: "session",
			version: 3,
			id: `bench-${seed}`,
			timestamp: new Date(start).toISOString(),
			cwd: "/",
		}),
	);
	add({ role: "system", content: "You are a coding agent.", sections: {} }, 100);
	let turnStart: string | null = null;
	/** Characters in view before the newest turn. */
	let turnContext = 0;
	while (count < size.entries - 8) {
		if (size.compacts && context > COMPACTS_AT && turnStart !== null) {
			const summary = prose(random, 200);
			write({ type: "compaction", summary, firstKeptEntryId: turnStart, tokensBefore: Math.round(context / 4) });
			context -= turnContext - summary.length;
		}
		turnContext = context;
		add({ role: "user", content: [{ type: "text", text: prose(random, 30) }] }, 200);
		turnStart = parentId;
		const rounds = 4 + random.below(9);
		for (let round = 0; round < rounds && count < size.entries - 4; round += 1) {
			const calls = Array.from({ length: random.chance(0.2) ? 2 : 1 }, () => {
				const tool = random.weighted(TOOLS.map((tool) => [tool.often, tool] as const));
				return { tool, id: `call_${count}_${random.below(1e9)}`, args: tool.args(random) };
			});
			const blocks = calls.map(({ id, tool, args }) => ({ type: "toolCall", id, name: tool.name, arguments: args }));
			const text = prose(random, 12);
			add(
				assistant(
					[
						{ type: "thinking", thinking: prose(random, 20), thinkingSignature: "c2ln" },
						{ type: "text", text },
						...blocks,
					],
					context,
					"toolUse",
				),
				text.length + 60,
			);
			for (const { tool, id } of calls) {
				const output = outputOf(random, tool.line, tool.weight * units * (0.4 + 1.2 * random.next()));
				add(
					{
						role: "toolResult",
						toolCallId: id,
						toolName: tool.name,
						content: [{ type: "text", text: output }],
						isError: random.chance(0.04),
						details: {},
					},
					output.length,
				);
			}
		}
		add(assistant([{ type: "text", text: prose(random, 40) }], context, "stop"), 250);
	}
	writeSync(out, `${lines.join("\n")}\n`);
	closeSync(out);
}

export function assistant(content: Loose[], context: number, stopReason: string): Loose {
	const real = Math.round((context / 4) * REPORTED_FACTOR);
	const usage = {
		input: 10,
		output: 50,
		cacheRead: real,
		cacheWrite: 400,
		totalTokens: real + 460,
		cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
	};
	return { role: "assistant", content, api: "anthropic-messages", provider: PROVIDER, model: MODEL, stopReason, usage };
}

/** Whole lines up to about `units` UTF-16 units. Some outputs hold text that is not ASCII. */
export function outputOf(random: Random, line: (random: Random, number: number) => string, units: number): string {
	const lines: string[] = [];
	const extra = random.chance(0.1) ? " – größer" : "";
	for (let length = 0, number = 1; length < units; number += 1) {
		const next = line(random, number) + (number % 7 === 0 ? extra : "");
		lines.push(next);
		length += next.length + 1;
	}
	return lines.join("\n");
}

function prose(random: Random, words: number): string {
	return Array.from({ length: words }, () => random.pick(WORDS)).join(" ");
}

export function codeLine(random: Random, number: number): string {
	return `\tconst ${random.pick(WORDS)}${number} = ${random.pick(WORDS)}(${random.pick(WORDS)}, ${random.below(1000)});`;
}

export function reportLine(random: Random, number: number): string {
	if (random.chance(0.02)) return `not ok ${number} - ${prose(random, 3)}: Error: expected ${random.below(99)}`;
	return `ok ${number} - ${random.pick(WORDS)} ${random.pick(WORDS)} of ${random.pick(WORDS)} (${random.below(400)} ms)`;
}

function matchLine(random: Random, number: number): string {
	return `src/${random.pick(WORDS)}/${random.pick(WORDS)}.ts:${number * 3}: ${codeLine(random, number)}`;
}

function readArgs(random: Random): Loose {
	return { path: `src/${random.pick(WORDS)}/${random.pick(WORDS)}.ts`, offset: random.below(500) + 1, limit: 200 };
}

function bashArgs(random: Random): Loose {
	return {
		command: random.pick(["npm test", "cargo test", "git log --oneline | head", "ls -la src && wc -l src/*.ts"]),
	};
}

function grepArgs(random: Random): Loose {
	return { pattern: random.pick(WORDS), path: "src" };
}

function editArgs(random: Random): Loose {
	return { path: `src/${random.pick(WORDS)}.ts`, edits: [{ oldText: prose(random, 12), newText: prose(random, 14) }] };
}
