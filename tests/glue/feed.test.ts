/**
 * What the core is fed of the branch: each entry once, and of whatever stands in it only what has the shape it should.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { SessionManager } from "@earendil-works/pi-coding-agent";
import { contentText, outputText } from "../../src-ts/content.ts";
import { type Fed, Feed } from "../../src-ts/feed.ts";
import type { WireEntry } from "../../src-ts/wire.ts";

/** Keeps what it is fed, and asks for the text of each tool result. */
class Listener implements Fed {
	readonly branch: WireEntry[] = [];
	readonly feeds: [keep: number, ids: string[]][] = [];
	readonly texts: [index: number, text: string][] = [];
	readonly #seen = new Set<WireEntry>();

	sync(keep: number, entries: readonly WireEntry[]): void {
		this.feeds.push([keep, entries.map(({ id }) => id)]);
		this.branch.length = keep;
		this.branch.push(...entries);
	}

	wanted(): number[] {
		return this.branch.flatMap((entry, index) =>
			entry.kind === "toolResult" && !this.#seen.has(entry) ? [index] : [],
		);
	}

	digest(index: number, text: Uint8Array): void {
		this.texts.push([index, new TextDecoder().decode(text)]);
		this.#seen.add(this.branch[index]!);
	}
}

/** The one entry as it is fed, without its id and what is undefined. */
function fed(entry: object): Record<string, unknown> {
	const session = SessionManager.inMemory("/", undefined, [
		{ type: "session", version: 3, id: "s", timestamp: "", cwd: "/" },
		{ id: "e", parentId: null, timestamp: "2026-01-01T00:00:01Z", ...entry },
	] as never);
	const listener = new Listener();
	new Feed().sync(listener, session);
	const { id: _, ...rest } = listener.branch[0]!;
	return JSON.parse(JSON.stringify(rest));
}

const AT = Date.UTC(2026, 0, 1, 0, 0, 1);
const message = (value: unknown) => ({ type: "message", message: value });

const ENTRIES: [name: string, entry: object, expected: object][] = [
	["no message", message(null), { at: AT, kind: "unknownMessage" }],
	["a message that is a list", message([]), { at: AT, kind: "unknownMessage" }],
	["a role of another time", message({ role: "oracle", timestamp: 5 }), { at: 5, kind: "unknownMessage" }],
	["text as a string", message({ role: "user", content: "häuser😀" }), { at: AT, kind: "user", units: 8, images: 0 }],
	[
		"blocks of every kind",
		message({ role: "user", content: [{ type: "text", text: "ab" }, { type: "image" }, null, "x", { type: "new" }] }),
		{ at: AT, kind: "user", units: 2, images: 1 },
	],
	["no content", message({ role: "user" }), { at: AT, kind: "user", units: 0, images: 0 }],
	[
		"a result without names",
		message({ role: "toolResult", content: [{ type: "text", text: "ok" }] }),
		{ at: AT, kind: "toolResult", callId: "", tool: "", isError: false, knownBlocks: true, units: 2, images: 0 },
	],
	[
		"a result with an image",
		message({ role: "toolResult", toolCallId: "c", toolName: "read", isError: true, content: [{ type: "image" }] }),
		{ at: AT, kind: "toolResult", callId: "c", tool: "read", isError: true, knownBlocks: false, units: 0, images: 1 },
	],
	[
		"an answer that is empty",
		message({ role: "assistant", content: null }),
		{ at: AT, kind: "assistant", units: 0, said: 0, thinking: 0, calls: [], stop: "", provider: "", model: "" },
	],
	[
		"an answer that says something, thinks and calls",
		message({
			role: "assistant",
			content: [
				{ type: "text", text: "Now." },
				{ type: "thinking", thinking: "hm" },
				{ type: "toolCall", id: "c", name: "ls", arguments: { path: "a" } },
			],
		}),
		{
			...{ at: AT, kind: "assistant", units: 18, said: 4, thinking: 2, stop: "", provider: "", model: "" },
			calls: [{ id: "c", tool: "ls", args: [["path", "a"]], partial: false }],
		},
	],
	[
		"a command of the user",
		message({ role: "bashExecution", command: "ls", output: "a" }),
		{ at: AT, kind: "userBash", units: 3, excluded: false },
	],
	[
		"an edit that omits",
		{ type: "context_edit", targetId: "t", replacement: null },
		{ at: AT, kind: "omission", target: "t" },
	],
	["an edit of no shape", { type: "context_edit", targetId: "t" }, { at: AT, kind: "inert" }],
	[
		"an edit of ours",
		{ type: "context_edit", targetId: "t", replacement: { content: "[folded by pi-zip, x]" } },
		{ at: AT, kind: "contextEdit", target: "t", placeholder: true, units: 21, images: 0 },
	],
	[
		"a compaction that keeps nothing",
		{ type: "compaction", summary: "so far", firstKeptEntryId: null },
		{ at: AT, kind: "compaction", units: 6 },
	],
	[
		"steering of ours",
		{ type: "custom", customType: "pi-zip.steering", data: { targets: ["a", 1] } },
		{ at: AT, kind: "steering", targets: ["a"] },
	],
	[
		"steering of no shape",
		{ type: "custom", customType: "pi-zip.steering", data: 7 },
		{ at: AT, kind: "steering", targets: [] },
	],
	["another custom entry", { type: "custom", customType: "theirs", data: 7 }, { at: AT, kind: "inert" }],
	[
		"a refresh",
		{ type: "usage", kind: "cache_warm", provider: "p", model: "m" },
		{ at: AT, kind: "cacheTouch", provider: "p", model: "m" },
	],
	["another use", { type: "usage", kind: "other", provider: "p", model: "m" }, { at: AT, kind: "inert" }],
	["an entry of another time", { type: "from the future", timestamp: "never" }, { at: 0, kind: "inert" }],
];

for (const [name, entry, expected] of ENTRIES) {
	test(`fed: ${name}`, () => assert.deepEqual(fed(entry), expected));
}

test("arguments of calls: scalars and lists of words, none that is very long", () => {
	const args = { path: "a", offset: 3, all: true, handles: ["x", "y"], deep: { no: 1 }, text: "t".repeat(9_000) };
	const calls = [
		{ type: "toolCall", id: "c", name: "read", arguments: args },
		{ type: "toolCall", id: 7, arguments: "none" },
	];
	const { calls: seen } = fed(message({ role: "assistant", content: calls })) as { calls: object[] };
	assert.deepEqual(seen, [
		{
			id: "c",
			tool: "read",
			args: [
				["path", "a"],
				["offset", "3"],
				["all", "true"],
				["handles", "x y"],
			],
			partial: true,
		},
		{ id: "", tool: "", args: [], partial: false },
	]);
});

test("contents of texts only are told from others", () => {
	const text = (value: unknown) => ({ type: "text", text: value });
	assert.equal(contentText([text("a"), text("\ud83d"), text("b")]), "a\ud83db");
	assert.equal(contentText("as it is"), "as it is");
	assert.equal(contentText([]), "");
	assert.equal(contentText(undefined), "");
	for (const odd of [[text(7)], [null], ["x"], [text("a"), { type: "image" }]])
		assert.equal(contentText(odd), undefined);
	assert.equal(outputText(message({ role: "toolResult", content: "x" })), "x");
	for (const odd of [null, "x", message(null), message({ role: "user", content: "x" })]) {
		assert.equal(outputText(odd), undefined);
	}
});

test("each entry is fed once, a move in the tree only what is new, and texts of results cross once", () => {
	const session = SessionManager.inMemory("/");
	const feed = new Feed();
	const listener = new Listener();
	const add = (content: string) =>
		session.appendMessage({
			role: "toolResult",
			toolCallId: "c",
			toolName: "t",
			content: [{ type: "text", text: content }],
			isError: false,
			timestamp: 1,
		});
	const [a, b] = [add("a"), add("b")];
	feed.sync(listener, session);
	feed.sync(listener, session);
	const c = add("c");
	feed.sync(listener, session);
	session.branch(a);
	const d = add("d");
	feed.sync(listener, session);
	session.branch(a);
	feed.sync(listener, session);
	assert.deepEqual(listener.feeds, [
		[0, [a, b]],
		[2, [c]],
		[1, [d]],
		[1, []],
	]);
	assert.deepEqual(listener.texts, [
		[0, "a"],
		[1, "b"],
		[2, "c"],
		[1, "d"],
	]);
	assert.equal(feed.id(0), a);
	assert.throws(() => feed.id(1), RangeError);
});
