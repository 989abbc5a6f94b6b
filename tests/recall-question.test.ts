/** A reader's quotes are checked against what it read; what it may read is bounded, and models are tried in order. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { recallPage } from "../build/core/core.js";
import { answered } from "../src-ts/answered.ts";
import type { AssistantMessage, Model, Usage } from "../src-ts/host.ts";
import { ModelChain } from "../src-ts/models.ts";
import { checked } from "../src-ts/recall/findings.ts";
import { askReader } from "../src-ts/recall/question.ts";
import { MOST_TURNS, type ReaderContext, read, type Send } from "../src-ts/recall/reader.ts";
import { readRequest } from "../src-ts/recall/request.ts";
import { redact } from "../src-ts/redact.ts";
import "./recall/session.ts";

const A = "0aaaaaaaa1";
const B = "0bbbbbbbb2";
const TEXT = "alpha\n  beta(x) = 1\r\ngamma\nbeta\n";

const QUOTES: [written: string, text: string, quotes: number, dropped: number][] = [
	[`It is so.\n> ${A} 2|   beta(x) = 1`, `It is so.\n> ${A} 2|   beta(x) = 1`, 1, 0],
	[`> ${A} 2| beta(x) = 1`, `> ${A} 2|  beta(x) = 1`.replace("|  ", "| "), 1, 0],
	[`> ${A} 3| alpha`, `> ${A} 1| alpha`, 1, 0],
	[`> handle ${A}, line 3: gamma`, `> ${A} 3| gamma`, 1, 0],
	["> 4| beta", `> ${A} 4| beta`, 1, 0],
	["> gamma", `> ${A} 3| gamma`, 1, 0],
	[`> ${A} 1| only in b`, `> ${B} 1| only in b`, 1, 0],
	[`> ${A} 1| Alpha`, "> [a quote that stands in no original was dropped]", 0, 1],
	[`Two.\n> 1| nope\n> 2| neither`, "Two.\n> [a quote that stands in no original was dropped]", 0, 2],
	["> 1| alpha\\nbeta", "> [a quote that stands in no original was dropped]", 0, 1],
	[`> ${A} 1|  `, "", 0, 0],
	["a > b is no quote", "a > b is no quote", 0, 0],
];

for (const [written, text, quotes, dropped] of QUOTES) {
	test(`findings ${JSON.stringify(written)}`, () => {
		const originals = [
			{ handle: A, text: TEXT },
			{ handle: B, text: "only in b" },
		];
		assert.deepEqual(checked(written, originals), { text, quotes, dropped });
	});
}

const USAGE: Usage = {
	input: 10,
	output: 2,
	cacheRead: 0,
	cacheWrite: 0,
	totalTokens: 12,
	cost: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, total: 2 },
};

function says(content: object[], stopReason = "stop"): AssistantMessage {
	return { role: "assistant", content, stopReason, usage: USAGE } as unknown as AssistantMessage;
}

const pages = (args: object) => says([{ type: "toolCall", id: "1", name: "page", arguments: args }], "toolUse");
const shownIn = ({ messages }: ReaderContext) => JSON.stringify(messages);

test("what a reader reads is bounded in characters and turns, and it is told when it has to answer", async () => {
	const text = Array.from({ length: 20_000 }, (_, line) => `line ${line} says nothing`).join("\n");
	const seen: ReaderContext[] = [];
	const send: Send = async (context) => {
		seen.push({ ...context, messages: [...context.messages] });
		return pages({ offset: 30_000 * seen.length });
	};
	const question = { question: "?", budget: 30_000, grep: undefined, range: undefined };
	const reading = await read([{ handle: A, title: "bash", text }], question, {
		pager: recallPage,
		send,
		redacts: true,
		signal: undefined,
	});
	assert.deepEqual(reading.outcome, { failure: "it asked for more than its turns" });
	assert.equal(reading.turns, MOST_TURNS);
	assert.equal(reading.usage.length, MOST_TURNS);
	assert.ok(reading.read <= 30_000 && reading.read > 20_000, `${reading.read}`);
	assert.match(shownIn(seen.at(-1)!), /Nothing more may be read/);
	assert.match(shownIn(seen.at(-1)!), /No more pages: answer now/);
	assert.ok(shownIn(seen.at(-1)!).length < 40_000);
});

test("pages have the lines' numbers, whatever selects them", async () => {
	const asked = [{ grep: "beta" }, { range: "3-4" }, { offset: 8 }, { range: "9-1" }, { handle: B }, "no object"];
	let turn = 0;
	let last: ReaderContext | undefined;
	const send: Send = async (context) => {
		last = context;
		const args = asked[turn];
		turn += 1;
		return turn < MOST_TURNS ? pages(args as object) : says([{ type: "text", text: "done" }]);
	};
	const question = { question: "?", budget: 30_000, grep: undefined, range: undefined };
	const how = { pager: recallPage, send, redacts: false, signal: undefined };
	await read([{ handle: A, title: "bash", text: TEXT }], question, how);
	const results = last!.messages.flatMap((one) => (one.role === "toolResult" ? one.content : []));
	const shown = results.map((block) => (block.type === "text" ? block.text.split("]\n").at(-1) : ""));
	assert.equal(shown[0], "2|   beta(x) = 1\r\n4| beta");
	assert.equal(shown[1], "3| gamma\n4| beta");
	assert.equal(shown[2], "2| beta(x) = 1\r\n3| gamma\n4| beta");
	assert.match(shown[3] ?? "", /ends before it begins/);
	assert.match(shown[4] ?? "", /^1\| alpha/, "there is but one original");
});

test("what a call was about is cleaned too, and wrong quotes of a long text are told at once", async () => {
	const key = `ghp_${"A1b2".repeat(10)}`;
	const asked: string[] = [];
	const send: Send = async (context) => {
		asked.push(shownIn(context));
		return says([{ type: "text", text: "Nothing." }]);
	};
	const original = { handle: A, title: `bash curl -H "Authorization: Bearer ${key}"`, text: TEXT };
	const how = { pager: recallPage as never, send, redacts: true, signal: undefined };
	await read([original], { question: "?", grep: undefined, range: undefined, budget: 1_000 }, how);
	assert.ok(asked.length === 1 && !asked[0]!.includes("A1b2"), asked[0]);
});

test("a provider that answers nothing, and one that heeds no signal, are not waited for", async () => {
	const stop = new AbortController();
	const never = answered({ result: () => new Promise<AssistantMessage>(() => {}) }, stop.signal, 1);
	stop.abort();
	assert.equal((await never).stopReason, "aborted");
	const empty = { role: "assistant", stopReason: "stop" } as unknown as AssistantMessage;
	const given = await answered({ result: async () => empty }, new AbortController().signal);
	assert.deepEqual(given.content, []);
});

test("redaction keeps the numbers of lines", () => {
	const key = "-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----";
	const text = `one\n${key}\nsix\npassword = hunter2hunter2\neight`;
	const clean = redact(text);
	assert.doesNotMatch(clean, /MIIE|hunter2/);
	assert.deepEqual(
		["six", "eight"].map((line) => clean.split("\n").indexOf(line)),
		["six", "eight"].map((line) => text.split("\n").indexOf(line)),
	);
});

/** Models by name, each with what it answers. */
function asking(answers: Record<string, () => AssistantMessage>, names: string[]) {
	const asked: string[] = [];
	const model = (id: string) => ({ provider: "p", id, maxTokens: 0 }) as Model;
	const ctx = {
		model: model("current"),
		modelRegistry: {
			find: (_: string, id: string) => (id in answers ? model(id) : undefined),
			streamSimple: ({ id }: Model) => {
				asked.push(id);
				return { result: async () => answers[id]!() };
			},
		},
	} as unknown as ExtensionContext;
	const chain = new ModelChain(() => names);
	const find = (handle: string) =>
		handle === A
			? { kind: "found" as const, entryId: "e", toolName: "bash", what: "ls", text: TEXT }
			: { kind: "unknown" as const, nearest: [] };
	const call = async (handles: string[], forbids?: string) => {
		const request = readRequest({ handles, question: "what is beta?" });
		assert.ok(!("refusal" in request) && request.question !== undefined);
		const how = { chain, pager: recallPage, redacts: () => true, forbids: async () => forbids };
		const { question } = request;
		const answer = await askReader({ ...request, question }, find, how, ctx, undefined);
		return { ...answer, text: answer.content.map((block) => (block.type === "text" ? block.text : "")).join("\n") };
	};
	return { asked, call };
}

const good = () => says([{ type: "text", text: "It is one.\n> 2| beta(x) = 1" }]);
const bad = () => says([], "error");

test("models are tried in the order of the settings, and one that fails goes last", async () => {
	const { asked, call } = asking({ one: bad, two: good }, ["p/unknown", "p/one", "p/two"]);
	const { text, usage } = await call([A]);
	assert.match(text, /by p\/two in 1 turn/);
	assert.equal(usage?.totalTokens, 2 * USAGE.totalTokens, "the failed request counts");
	await call([A]);
	assert.deepEqual(asked, ["one", "two", "two"]);
});

test("without models in the settings the one in use is asked", async () => {
	const { asked, call } = asking({ current: good }, []);
	const { details, isError } = await call([A]);
	assert.deepEqual([details.read, isError], [{ quotes: 1, dropped: 0 }, undefined]);
	assert.deepEqual(asked, ["current"]);
});

test("where all fail, the page comes instead and says why", async () => {
	const { call } = asking({ one: bad, two: bad }, ["p/one", "p/two"]);
	const { text, details } = await call([A]);
	assert.match(text, /no reader has answered the question: the provider failed \(p\/two\).*\nalpha\n/s);
	assert.equal(details.recalled.length, 1);
});

test("a handle that leads nowhere asks no model", async () => {
	const { asked, call } = asking({ current: good }, []);
	assert.equal((await call([B])).isError, true);
	assert.match((await call([A, B])).text, /beta\(x\).*no original has the handle 0bbbbbbbb2/s);
	assert.match((await call([A], "somebody hides something")).text, /somebody hides something.*alpha/s);
	assert.deepEqual(asked, ["current"]);
});
