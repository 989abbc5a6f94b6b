/** What a summary quotes is what the session holds, and what is sent to be summed up is whole. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Engine } from "../../src-ts/core.ts";
import type { SessionEntry } from "../../src-ts/host.ts";
import { readSettings } from "../../src-ts/settings.ts";
import { askCore } from "../../src-ts/summary/summaries.ts";
import { quotedText, sliceWhole } from "../../src-ts/summary/texts.ts";
import { packed, transcript } from "../../src-ts/summary/transcript.ts";
import { Random } from "../session/random.ts";

/** Entries of a session, one behind the other. */
function chain(messages: object[]): { entries: SessionEntry[]; session: Parameters<Engine["with"]>[0] } {
	const entries = messages.map((message, index) => ({
		type: "message",
		id: `e${index}`,
		parentId: index === 0 ? null : `e${index - 1}`,
		timestamp: "2026-01-01T00:00:00.000Z",
		message,
	})) as unknown as SessionEntry[];
	const byId = new Map(entries.map((entry) => [entry.id, entry]));
	return {
		entries,
		session: {
			getLeafEntry: () => entries.at(-1),
			getLeafId: () => entries.at(-1)?.id ?? null,
			getEntry: (id) => byId.get(id),
		},
	};
}

const user = (text: string) => ({ role: "user", content: [{ type: "text", text }], timestamp: 1 });
const answer = (text: string, calls: object[] = []) => ({
	role: "assistant",
	content: [{ type: "thinking", thinking: "SECRET THOUGHT" }, { type: "text", text }, ...calls],
	stopReason: "stop",
	provider: "p",
	model: "m",
	timestamp: 1,
});
const call = (id: string, name: string, args: object) => ({ type: "toolCall", id, name, arguments: args });
const result = (toolCallId: string, toolName: string, text: string, isError = false) => ({
	role: "toolResult",
	toolCallId,
	toolName,
	isError,
	content: [{ type: "text", text }],
	timestamp: 1,
});

function fixedOf(messages: object[], units = 1e6): string {
	const { session } = chain(messages);
	return new Engine(readSettings({})).with(
		session,
		(core, feed) => askCore(core, feed, { from: 0, until: feed.length, fresh: 0, units }).fixed,
	);
}

const ODD = ["\ud800", "a\udfffb", "\0", "\r\n", "\x1b[31m", "\u2028", "😀", "漢字", "\ufffd", "## Commands\n- fake"];

test("requests, answers, commands and paths stand in the fixed part as the session has them", () => {
	for (const odd of ODD) {
		const text = `find ${odd} and ${odd} again`;
		const fixed = fixedOf([
			user(text),
			answer("", [call("c1", "bash", { command: `echo ${odd}` }), call("c2", "read", { path: `src/${odd}` })]),
			result("c1", "bash", "OUTPUT ONE"),
			result("c2", "read", "OUTPUT TWO"),
			answer(`it is ${odd}`),
		]);
		assert.ok(fixed.includes(`]\n${text}\n`), JSON.stringify(odd));
		assert.ok(fixed.includes(`: echo ${odd}\n`), JSON.stringify(odd));
		assert.ok(fixed.includes(`: src/${odd}`), JSON.stringify(odd));
		assert.ok(fixed.includes(`]\nit is ${odd}\n`), JSON.stringify(odd));
		assert.doesNotMatch(fixed, /OUTPUT|THOUGHT/);
	}
});

test("of a long text head and tail are quoted, and no pair is halved", () => {
	const text = "😀".repeat(20_000);
	const fixed = fixedOf([user(text)]);
	const [, head = "", left = "", tail = ""] =
		/\[turn 1\]\n(.*) \[… (\d+) characters left out …\] (.*)/.exec(fixed) ?? [];
	assert.ok(head.isWellFormed() && tail.isWellFormed());
	assert.ok(Math.abs(head.length + Number(left) + tail.length - text.length) <= 2);
	assert.ok(text.startsWith(head) && text.endsWith(tail));
});

test("the fixed part is the same each time, and in another session of the same entries", () => {
	const messages = [
		user("a"),
		answer("b", [call("c1", "grep", { pattern: "x" })]),
		result("c1", "grep", "y"),
		answer("c"),
	];
	assert.equal(fixedOf(messages), fixedOf(structuredClone(messages)));
});

test("an argument that is too long for the core is quoted by its head", () => {
	const command = `echo ${"x".repeat(20_000)}`;
	const fixed = fixedOf([user("a"), answer("", [call("c1", "bash", { command })]), result("c1", "bash", "y")]);
	assert.match(fixed, /: echo x{150,} \[… \d+ characters left out …\]/);
});

test("slices keep pairs whole and lone surrogates as they are", () => {
	const text = "a😀b\ud800c";
	for (const [start, end, expected] of [
		[0, 2, "a"],
		[2, 4, "b"],
		[0, 3, "a😀"],
		[1, 3, "😀"],
		[2, 2, ""],
		[4, 6, "\ud800c"],
		[4, 99, "\ud800c"],
	] as const) {
		assert.equal(sliceWhole(text, start, end), expected, `${start} to ${end}`);
	}
});

test("entries of any shape have a text", () => {
	for (const entry of [undefined, null, 1, "x", {}, { type: "message" }, { type: "message", message: null }]) {
		assert.equal(quotedText(entry), "");
		assert.equal(transcript(entry, false), "");
	}
	assert.equal(quotedText({ type: "compaction", summary: "s" }), "s");
	assert.equal(quotedText({ type: "message", message: { role: "bashExecution", command: "ls", output: "x" } }), "ls");
});

test("a transcript holds outputs whole and no thinking", () => {
	const { entries } = chain([
		user("do it"),
		answer("I do", [call("c1", "bash", { command: "ls" })]),
		result("c1", "bash", "out\n".repeat(5_000), true),
	]);
	const text = entries.map((entry) => transcript(entry, false)).join("");
	assert.ok(text.includes(`[Error of bash]\n${"out\n".repeat(5_000)}`));
	assert.match(text, /\[User\]\ndo it\n.*\[Assistant\]\nI do\n.*\[Call of bash\]\n\{"command":"ls"\}/s);
	assert.doesNotMatch(text, /THOUGHT/);
	const hidden = {
		type: "message",
		message: { role: "bashExecution", command: "!!", output: "x", excludeFromContext: true },
	};
	assert.equal(transcript(hidden, false), "");
});

test("a transcript for somebody else holds no secret, however a call's arguments are written", () => {
	const config = JSON.stringify({ password: "Hunter2Hunter2xyz" });
	const { entries } = chain([
		user("do it"),
		answer("I do", [call("c1", "write", { path: "a.json", content: config, env: { API_KEY: "Hunter2Hunter2xyz" } })]),
		result("c1", "write", `key:\nghp_${"A1b2".repeat(10)}`),
	]);
	const texts = [true, false].map((redacts) => entries.map((entry) => transcript(entry, redacts)).join(""));
	assert.doesNotMatch(texts[0]!, /Hunter2|A1b2/);
	assert.match(texts[1]!, /Hunter2.*A1b2/s);
});

test("parts hold every unit once, in order, and none is too long", () => {
	for (let seed = 0; seed < 50; seed += 1) {
		const random = new Random(seed);
		const pieces = Array.from({ length: random.below(30) }, (_, n) => `${n}:`.repeat(random.below(40)));
		const most = 1 + random.below(50);
		const parts = packed(pieces, most);
		assert.equal(parts.join(""), pieces.join(""), `seed ${seed}`);
		for (const part of parts) assert.ok(part.length > 0 && part.length <= most, `seed ${seed}`);
	}
});
