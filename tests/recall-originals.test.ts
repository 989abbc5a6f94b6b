import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { SessionManager } from "@earendil-works/pi-coding-agent";
import { handleOf } from "../build/core/core.js";
import { Originals } from "../src-ts/recall/originals.ts";
import "./recall/session.ts";

/** The derivation a second time, by Node's own hash. */
function derived(entryId: string): string {
	const digest = createHash("sha256").update(`pi-zip:${entryId}`).digest("hex");
	return BigInt(`0x${digest.slice(0, 12)}`)
		.toString(36)
		.padStart(10, "0");
}

const USAGE = {
	input: 1,
	output: 1,
	cacheRead: 0,
	cacheWrite: 0,
	totalTokens: 2,
	cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

/** A call and its result; ids of calls repeat, as they do on some servers. */
function ran(session: SessionManager, command: string, ...texts: string[]): string {
	session.appendMessage({
		role: "assistant",
		content: [{ type: "toolCall", id: "call-1", name: "bash", arguments: { command } }],
		api: "anthropic-messages",
		provider: "anthropic",
		model: "model",
		usage: USAGE,
		stopReason: "toolUse",
		timestamp: 1,
	});
	return session.appendMessage({
		role: "toolResult",
		toolCallId: "call-1",
		toolName: "bash",
		content: texts.map((text) => ({ type: "text", text })),
		isError: false,
		timestamp: 1,
	});
}

function asked(session: SessionManager, text: string): string {
	return session.appendMessage({ role: "user", content: text, timestamp: 1 });
}

test("an original is found on the branch, behind an edit, a compaction and a move in the tree", async () => {
	const session = SessionManager.inMemory();
	const root = asked(session, "begin");
	const first = ran(session, "npm test", "first \ud83d", "half\r\n");
	const second = ran(session, "npm run lint", "second");
	session.appendContextEdit(first, { content: "[folded]" });
	session.appendCompaction("summary", second, 10);
	const originals = new Originals(handleOf);
	const found = { kind: "found", toolName: "bash" };
	const expected = {
		...found,
		entryId: first,
		what: "npm test",
		text: "first \ud83dhalf\r\n",
		blocks: { ends: [7, 13], images: [] },
	};
	assert.equal(handleOf(first), derived(first));
	assert.deepEqual(await originals.find(session, derived(first)), expected);
	assert.deepEqual(await originals.find(session, derived(second)), {
		...found,
		entryId: second,
		what: "npm run lint",
		text: "second",
	});
	session.branch(root);
	asked(session, "elsewhere");
	assert.ok(!session.getBranch().some((entry) => entry.id === first));
	assert.deepEqual(await originals.find(session, derived(first)), expected);
});

test("an unknown handle is answered with the nearest folded outputs, a lost entry as lost", async () => {
	const session = SessionManager.inMemory();
	asked(session, "begin");
	const ids = ["one", "two", "three", "four"].map((name) => ran(session, `echo ${name}`, name));
	const unfolded = ran(session, "echo five", "five");
	for (const id of ids) session.appendContextEdit(id, { content: "[folded]" });
	const originals = new Originals(handleOf);
	const mistyped = `${derived(ids[1]!).slice(0, 9)}!`;
	const answer = await originals.find(session, mistyped);
	assert.ok(answer.kind === "unknown" && answer.nearest.length === 3);
	assert.equal(answer.nearest[0], `${derived(ids[1]!)} (bash echo two)`);
	assert.ok(!answer.nearest.some((name) => name.startsWith(derived(unfolded))));

	const entries = session.getEntries().filter((entry) => entry.id !== ids[0]);
	const torn = {
		getEntries: () => entries,
		getEntry: (id: string) => entries.find((entry) => entry.id === id),
	};
	assert.deepEqual(await originals.find(torn, derived(ids[0]!)), { kind: "lost" });
	assert.equal((await new Originals(handleOf).find(SessionManager.inMemory(), mistyped)).kind, "unknown");
});

test("entries of odd shape are passed over", async () => {
	const odd = [
		{ type: "message" },
		{ type: "message", message: null },
		{ type: "message", message: { role: "toolResult" } },
	];
	const entries = odd.map((entry, index) => ({ ...entry, id: `odd-${index}`, parentId: null })) as never[];
	const session = { getEntries: () => entries, getEntry: () => undefined };
	assert.equal((await new Originals(handleOf).find(session, "0000000000")).kind, "unknown");
	assert.deepEqual(await new Originals(handleOf).find(session, derived("odd-2")), {
		kind: "found",
		entryId: "odd-2",
		toolName: "",
		what: "",
		text: "",
	});
});
