/** The scripted provider judged by the providers' public rules: what it refuses, what its caches read and write. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { AutomaticCache, ExplicitCache } from "./cache.ts";
import type { Fields } from "./family.ts";
import { sequence } from "./script.ts";
import { ModelServer } from "./server.ts";
import { type Block, block, type Json } from "./tokens.ts";

async function post(server: ModelServer, path: string, body: Fields): Promise<string> {
	const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, { method: "POST", body: JSON.stringify(body) });
	const text = await answer.text();
	return answer.ok ? "ok" : text;
}

async function withServer(body: (server: ModelServer) => Promise<void>): Promise<void> {
	const server = new ModelServer({ script: sequence([]), now: () => 0 });
	await server.start();
	try {
		await body(server);
	} finally {
		await server.stop();
	}
}

const use = (id: string): Json => ({ type: "tool_use", id, name: "bash", input: {} });
const result = (id: string): Json => ({ type: "tool_result", tool_use_id: id, content: "out" });
const user = (...content: Json[]): Json => ({ role: "user", content });
const says = (...content: Json[]): Json => ({ role: "assistant", content });
const ask: Json = { role: "user", content: "go" };
const marked = (text: string, ttl?: string): Json => ({
	type: "text",
	text,
	cache_control: { type: "ephemeral", ...(ttl ? { ttl } : {}) },
});

const ANTHROPIC: [string, Json[], RegExp | undefined][] = [
	["a plain prompt", [ask], undefined],
	["a call and its result", [ask, says(use("a")), user(result("a"))], undefined],
	["parallel results out of order", [ask, says(use("a"), use("b")), user(result("b"), result("a"))], undefined],
	["a result and a text behind it", [ask, says(use("a")), user(result("a"), { type: "text", text: "and" })], undefined],
	["no message", [], /at least one message/],
	["an assistant first", [says({ type: "text", text: "hi" })], /first message must use the/],
	["a result without its call", [ask, user(result("a"))], /unexpected `tool_use_id`/],
	[
		"a result one message late",
		[ask, says(use("a")), user(result("a")), user(result("a"))],
		/unexpected `tool_use_id`/,
	],
	["a call without a result", [ask, says(use("a")), ask], /without `tool_result` blocks immediately after: a/],
	["a call at the end", [ask, says(use("a"))], /without `tool_result` blocks/],
	["one result of two missing", [ask, says(use("a"), use("b")), user(result("a"))], /immediately after: b/],
	["two results for one call", [ask, says(use("a")), user(result("a"), result("a"))], /single result/],
	[
		"a text in front of the result",
		[ask, says(use("a")), user({ type: "text", text: "x" }, result("a"))],
		/without `tool_result`/,
	],
	[
		"a system message between call and result",
		[ask, says(use("a")), { role: "system", content: "x" }, user(result("a"))],
		/without `tool_result`/,
	],
	["an id used twice", [ask, says(use("a")), user(result("a")), says(use("a")), user(result("a"))], /must be unique/],
	["an empty text block", [user({ type: "text", text: "" })], /must be non-empty/],
	[
		"an empty text inside a result",
		[ask, says(use("a")), user({ type: "tool_result", tool_use_id: "a", content: [{ type: "text", text: "" }] })],
		/non-empty/,
	],
	["a message without content", [ask, says(), ask], /non-empty content/],
	["four marks", [user(...["a", "b", "c", "d"].map((text) => marked(text)))], undefined],
	["five marks", [user(...["a", "b", "c", "d", "e"].map((text) => marked(text)))], /maximum of 4 blocks.*Found 5/],
	["a mark on an empty text", [user(marked(""))], /cannot be set for empty text/],
	[
		"a mark on thinking",
		[
			ask,
			says({ type: "redacted_thinking", data: "d", cache_control: { type: "ephemeral" } }, use("a")),
			user(result("a")),
		],
		/thinking\.cache_control: Extra inputs/,
	],
	["the hour tier in front of the short one", [user(marked("a", "1h"), marked("b"))], undefined],
	["the hour tier behind the short one", [user(marked("a"), marked("b", "1h"))], /must not come after a ttl='5m'/],
	[
		"thinking that nobody signed",
		[ask, says({ type: "thinking", thinking: "t", signature: "s" }, { type: "text", text: "x" })],
		/cannot be modified/,
	],
];

for (const [name, messages, refusal] of ANTHROPIC) {
	test(`anthropic ${refusal ? "refuses" : "takes"} ${name}`, () =>
		withServer(async (server) => {
			const answer = await post(server, "/v1/messages", {
				model: "m",
				max_tokens: 9,
				tools: [{ name: "bash" }],
				messages,
			});
			assert.match(answer, refusal ?? /^ok$/);
		}));
}

test("anthropic refuses thinking of the tool loop that was changed or dropped, and takes it when it is old", () =>
	withServer(async (server) => {
		server.script = sequence([{ thinking: "I must look.", calls: [{ id: "a", name: "bash", input: {} }] }]);
		const request = (messages: Json[]): Fields => ({
			model: "m",
			max_tokens: 9,
			tools: [{ name: "bash" }],
			thinking: { type: "adaptive" },
			messages,
		});
		const answer = await fetch(`http://127.0.0.1:${server.port}/v1/messages`, {
			method: "POST",
			body: JSON.stringify(request([ask])),
		});
		const signature = /"signature":"([^"]+=)"/.exec(await answer.text())?.[1] ?? "";
		const given: Json = { type: "thinking", thinking: "I must look.", signature };
		const send = (...parts: Json[]) => post(server, "/v1/messages", request([ask, says(...parts), user(result("a"))]));
		assert.equal(await send(given, use("a")), "ok");
		assert.match(await send({ ...(given as Fields), thinking: "I may look." } as Json, use("a")), /cannot be modified/);
		assert.match(await send(use("a")), /Expected `thinking`/);
		const later = [ask, says(use("a")), user(result("a")), says({ type: "text", text: "done" }), ask];
		assert.equal(await post(server, "/v1/messages", request(later)), "ok");
	}));

const toolCall = (...ids: string[]): Json => ({
	role: "assistant",
	content: null,
	tool_calls: ids.map((id) => ({ id, type: "function", function: { name: "bash", arguments: "{}" } })),
});
const toolMessage = (id: string): Json => ({ role: "tool", tool_call_id: id, content: "out" });
const CHAT: [string, Json[], RegExp | undefined][] = [
	["calls answered out of order", [ask, toolCall("a", "b"), toolMessage("b"), toolMessage("a")], undefined],
	["a tool message without a call", [ask, toolMessage("a")], /must be a response to a preceeding message/],
	["an unknown id", [ask, toolCall("a"), toolMessage("b")], /'b' not found in 'tool_calls'/],
	["a call without a result", [ask, toolCall("a"), ask], /did not have response messages: a/],
	["a call at the end", [ask, toolCall("a")], /did not have response messages: a/],
	["two results for one call", [ask, toolCall("a"), toolMessage("a"), toolMessage("a")], /Duplicate/],
	["an unknown role", [{ role: "robot", content: "x" }], /Invalid value: 'robot'/],
];
for (const [name, messages, refusal] of CHAT) {
	test(`chat completions ${refusal ? "refuse" : "take"} ${name}`, () =>
		withServer(async (server) => {
			const tools = [{ type: "function", function: { name: "bash" } }];
			assert.match(await post(server, "/v1/chat/completions", { model: "m", tools, messages }), refusal ?? /^ok$/);
		}));
}

const call = (id: string, item = `fc_${id}`): Json => ({
	type: "function_call",
	id: item,
	call_id: id,
	name: "bash",
	arguments: "{}",
});
const output = (id: string): Json => ({ type: "function_call_output", call_id: id, output: "out" });
const RESPONSES: [string, Json[], RegExp | undefined][] = [
	["a call and its output", [ask, call("a"), output("a"), ask], undefined],
	["an output without a call", [ask, output("a")], /No tool call found for function call output with call_id a/],
	["an output in front of its call", [ask, output("a"), call("a")], /No tool call found/],
	["a call without an output", [ask, call("a"), ask], /No tool output found for function call a/],
	["two outputs", [ask, call("a"), output("a"), output("a")], /Duplicate/],
	["an item id twice", [ask, call("a"), output("a"), call("b", "fc_a"), output("b")], /Duplicate item found/],
	[
		"reasoning with nothing behind it",
		[ask, { type: "reasoning", id: "rs", summary: [] }, ask],
		/without its required following item/,
	],
];
for (const [name, input, refusal] of RESPONSES) {
	test(`responses ${refusal ? "refuse" : "take"} ${name}`, () =>
		withServer(async (server) => {
			const tools = [{ type: "function", name: "bash" }];
			assert.match(await post(server, "/v1/responses", { model: "m", tools, input }), refusal ?? /^ok$/);
		}));
}

/** Blocks of exactly 400 tokens; a star marks one. */
function prompt(letters: string): Block[] {
	return letters.split("").flatMap((letter, at): Block[] => {
		if (letter === "*") return [];
		const mark = letters[at + 1] === "*" ? "5m" : undefined;
		return [block("p", letter.repeat(400 * 4 - 4), mark)];
	});
}
const shape = ({ input, read, write }: { input: number; read: number; write: number }) =>
	[read, write, input].map((tokens) => tokens / 400).join(" ");

/** Each line: seconds, prompt, then blocks read, written, and taken as input. */
function checkExplicit(unkind: boolean, story: string): void {
	const cache = new ExplicitCache({ lifetime: 300, unkind });
	for (const line of story.trim().split("\n")) {
		const [at, letters, ...expected] = line.trim().split(/\s+/);
		assert.equal(shape(cache.use("m", prompt(letters!), Number(at) * 1000)), expected.join(" "), line);
	}
}

test("an explicit cache writes up to the last mark and reads the longest prefix under a mark", () =>
	checkExplicit(false, "0 abc*d 0 3 1\n1 abcde* 3 2 0\n2 abcdef* 5 1 0\n3 abXdef* 0 6 0"));
test("an explicit cache keeps nothing below 1,024 tokens", () => checkExplicit(false, "0 ab* 0 0 2\n1 ab* 0 0 2"));
test("an explicit entry dies after its lifetime and is renewed by a read", () =>
	checkExplicit(false, "0 abc* 0 3 0\n299 abc* 3 0 0\n598 abc* 3 0 0\n898 abc* 0 3 0"));
test("an explicit cache looks back 20 positions", () => {
	const tail = "defghijklmnopqrstuvwxyz";
	checkExplicit(false, `0 abc* 0 3 0\n1 abc${tail.slice(0, 19)}* 3 19 0`);
	checkExplicit(false, `0 abc* 0 3 0\n1 abc${tail.slice(0, 20)}* 0 23 0`);
	checkExplicit(false, `0 abc* 0 3 0\n1 abc*${tail.slice(0, 20)}* 3 20 0`);
});
test("a kind cache renews the shorter entries of a prefix, an unkind one only the entry hit", () => {
	const story = "0 abc*def* 0 6 0\n200 abc*def* 6 0 0\n";
	checkExplicit(false, `${story}400 abcX* 3 1 0`);
	checkExplicit(true, `${story}400 abcX* 0 4 0`);
});
test("the hour tier outlives the short one and is written apart", () => {
	const cache = new ExplicitCache({ lifetime: 300, unkind: false });
	const blocks = prompt("abc*def*");
	blocks[2]!.mark = "1h";
	assert.deepEqual(cache.use("m", blocks, 0), { input: 0, read: 0, write: 1200, writeHour: 1200 });
	assert.deepEqual(cache.use("m", blocks, 600_000), { input: 0, read: 1200, write: 1200, writeHour: 0 });
});
test("an automatic cache reads any prefix in steps of 128 tokens", () => {
	const cache = new AutomaticCache({ lifetime: 300, unkind: false });
	assert.deepEqual(cache.use("m", prompt("abcdef"), 0), { input: 2400 - 2304, read: 0, write: 2304, writeHour: 0 });
	assert.deepEqual(cache.use("m", prompt("abcdXf"), 1000), { input: 96, read: 1536, write: 768, writeHour: 0 });
	assert.equal(cache.use("m", prompt("abcdXf"), 302_000).read, 0);
	assert.equal(cache.use("other", prompt("abcdXf"), 302_000).read, 0);
});
