/**
 * Generates session trees of every kind of entry, with the oddities that session files show: compactions that keep an
 * entry that is none, edits of edits, of compactions and of nothing, content that is missing or of unknown shape.
 */

import { Random } from "./random.ts";

type Loose = Record<string, unknown>;

/** The lines of a session file of the current version: a header and a tree of entries, the leaf last. */
export function sessionLines(seed: number): Loose[] {
	const random = new Random(seed);
	const entries: Loose[] = [];
	const length = random.below(80) + 1;
	while (entries.length < length) entries.push(entry(random, entries));
	return [{ type: "session", version: 3, id: `session-${seed}`, timestamp: time(0), cwd: "/" }, ...entries];
}

function entry(random: Random, before: Loose[]): Loose {
	// Now and then a new branch begins somewhere earlier.
	const parent = random.chance(0.04) ? random.pick(before) : before.at(-1);
	const base = { id: `e${before.length}`, parentId: parent?.id ?? null, timestamp: time(before.length) };
	const some = () => (random.chance(0.9) ? random.pick(before)?.id : undefined) ?? random.pick(["gone", base.id]);
	const kinds: [number, () => Loose][] = [
		[30, () => ({ type: "message", message: message(random) })],
		[4, () => compaction(random, some())],
		[14, () => ({ type: "context_edit", targetId: some(), replacement: replacement(random) })],
		[3, () => ({ type: "custom_message", customType: "note", content: content(random), display: random.chance(0.5) })],
		[
			3,
			() => ({ type: "branch_summary", fromId: some(), summary: random.pick(["", "left it there", "ünïcode 漢字"]) }),
		],
		[2, () => ({ type: "label", targetId: some(), label: "here" })],
		[1, () => ({ type: "custom", customType: "state", data: { any: [1] } })],
		[1, () => ({ type: "usage", kind: random.pick(["cache_warm", "other"]), provider: "p", model: "m", usage: {} })],
		[1, () => ({ type: "model_change", provider: "p", modelId: "m" })],
		[1, () => ({ type: random.pick(["thinking_level_change", "session_info", "from the future"]) })],
	];
	return { ...base, ...random.weighted(kinds)() };
}

function compaction(random: Random, kept: unknown): Loose {
	return {
		type: "compaction",
		summary: text(random),
		firstKeptEntryId: random.chance(0.85) ? kept : random.pick([null, undefined]),
		tokensBefore: 1000,
		systemMessage: random.chance(0.5) ? system(random) : undefined,
	};
}

function replacement(random: Random): Loose | null {
	return random.chance(0.3) ? null : { content: random.pick([text(random), [], textBlocks(random)]) };
}

function message(random: Random): Loose {
	const kinds: [number, () => Loose][] = [
		[4, () => ({ role: "user", content: content(random) })],
		[8, () => assistant(random)],
		[8, () => ({ role: "toolResult", toolCallId: "c1", toolName: "bash", content: content(random), isError: false })],
		[1, () => system(random)],
		[1, () => bash(random)],
		[1, () => ({ role: "custom", customType: "note", content: content(random), display: true })],
		[1, () => ({ role: random.pick(["oracle", "developer"]), content: "?" })],
	];
	return random.weighted(kinds)();
}

function assistant(random: Random): Loose {
	const call = {
		type: "toolCall",
		id: "c1",
		name: "bash",
		arguments: { command: text(random).toWellFormed(), timeout: 5 },
	};
	const thinking = { type: "thinking", thinking: text(random) };
	const odd = { type: "unheardOf", text: "not counted" };
	const blocks = [...textBlocks(random), call, thinking, odd].filter(() => random.chance(0.6));
	return {
		role: "assistant",
		content: random.pick([blocks, blocks, blocks, [], null, undefined]),
		stopReason: random.pick(["stop", "toolUse", "toolUse", "length", "error", "aborted"]),
		provider: "p",
		model: "m",
	};
}

function bash(random: Random): Loose {
	const excluded = random.pick([true, false, undefined]);
	return { role: "bashExecution", command: "ls", output: text(random), exitCode: 0, excludeFromContext: excluded };
}

function system(random: Random): Loose {
	return {
		role: "system",
		content: random.pick(["", text(random)]),
		sections: random.pick([undefined, { tone: text(random), removed: null }]),
		toolsAdded: random.pick([undefined, [{ name: "grep", description: text(random).toWellFormed(), parameters: {} }]]),
	};
}

function content(random: Random): unknown {
	const image = { type: "image", data: "AAAA", mimeType: "image/png" };
	const odd = [{ type: "unheardOf" }, { type: "text" }, { type: "text", text: null }];
	return random.pick([textBlocks(random), textBlocks(random), text(random), [], null, undefined, [image], odd]);
}

function textBlocks(random: Random): Loose[] {
	return Array.from({ length: random.below(3) + 1 }, () => ({ type: "text", text: text(random) }));
}

function text(random: Random): string {
	const pieces = [
		"line\n",
		"ünï",
		"漢字",
		"😀",
		"\u001b[31m",
		"\r\n",
		"\\u0041",
		'"',
		"\\",
		"\ud83d",
		"\ude00",
		"a b c",
	];
	return Array.from({ length: random.below(12) }, () => random.pick(pieces)).join("");
}

function time(minute: number): string {
	return new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
}
