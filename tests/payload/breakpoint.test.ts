/**
 * Where the fourth cache mark goes, as stories of requests, and that every body with it is one that providers take.
 *
 * A request is written as its messages: `u` a prompt, `c3` an answer with three calls, `t3` one with thinking in front,
 * `a` an answer in words, `r3` the results of three calls; `r3*2` where the second of them was edited. Behind the bar
 * stands the message that gets a mark of ours on its last block, or `-`.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Breakpoints } from "../../src-ts/payload/breakpoint.ts";
import { anthropic } from "../server/anthropic.ts";
import type { Fields } from "../server/family.ts";
import { sequenceOf } from "./sequences.ts";
import { serialisersOf } from "./serialisers.ts";
import { validateAnthropic } from "./validators/anthropic.ts";
import { validateBedrock } from "./validators/bedrock.ts";

interface Block {
	type: string;
	cache_control?: object;
	[field: string]: unknown;
}
interface Message {
	role: string;
	content: Block[];
}

const SHORT = { type: "ephemeral" };
const HOUR = { type: "ephemeral", ttl: "1h" };
const TEXT = "word ".repeat(400);

function message(word: string, at: number): Message {
	const count = Number(/\d+/.exec(word)?.[0] ?? 1);
	const edited = Number(/\*(\d+)/.exec(word)?.[1] ?? 0);
	const each = (block: (index: number) => Block) => Array.from({ length: count }, (_, index) => block(index));
	const calls = (from: number) =>
		each((index): Block => ({ type: "tool_use", id: `call_${from}_${index}`, name: "bash", input: {} }));
	switch (word[0]) {
		case "u":
			return { role: "user", content: [{ type: "text", text: `${TEXT}prompt ${at}` }] };
		case "a":
			return { role: "assistant", content: [{ type: "text", text: `Answer ${at}.` }] };
		case "c":
			return { role: "assistant", content: calls(at) };
		case "t":
			return { role: "assistant", content: [{ type: "thinking", thinking: "I must.", signature: "s" }, ...calls(at)] };
		default:
			return {
				role: "user",
				content: each((index) => ({
					type: "tool_result",
					tool_use_id: `call_${at - 1}_${index}`,
					content: index + 1 === edited ? "placeholder" : `${TEXT}result ${at}.${index}`,
				})),
			};
	}
}

interface Marks {
	tier?: object;
	/** On the system prompt, where it differs. */
	systemTier?: object;
	/** Two system blocks, as with an OAuth token. */
	oauth?: boolean;
	model?: string;
}

function body(request: string, { tier = SHORT, systemTier = tier, oauth = false, model = "m" }: Marks = {}) {
	const messages = request.trim().split(/\s+/).map(message);
	messages.at(-1)!.content.at(-1)!.cache_control = tier;
	const system: Block = { type: "text", text: `${TEXT}Be good.`, cache_control: systemTier };
	return {
		model,
		max_tokens: 9,
		tools: [{ name: "bash", description: TEXT, cache_control: systemTier }],
		system: oauth ? [system, { ...system }] : [system],
		messages,
	};
}

type Body = ReturnType<typeof body>;

/** Message on whose last block `out` has a mark that `sent` has not; `-` for none. */
function ours(sent: Body, out: Body): string {
	const found = out.messages.flatMap(({ content }, at) =>
		content.flatMap((block, index) => {
			if (!block.cache_control || sent.messages[at]!.content[index]!.cache_control) return [];
			assert.equal(index, content.length - 1);
			return [String(at)];
		}),
	);
	return found.join(",") || "-";
}

const without = (value: unknown) =>
	JSON.parse(JSON.stringify(value, (key, inner) => (key === "cache_control" ? undefined : inner)));

function freeze<T>(value: T): T {
	if (ArrayBuffer.isView(value)) return value;
	if (typeof value === "object" && value !== null) Object.values(value).forEach(freeze);
	return Object.freeze(value);
}

const READ_ALL = { input: 1, cacheRead: 1e6, cacheWrite: 0 };
const READ_NOTHING = { input: 1, cacheRead: 0, cacheWrite: 1e6 };
const NO_REPORT = { input: 0, cacheRead: 0, cacheWrite: 0 };

/** Words behind the expected mark: `cold` nothing was read, `lost` no report came, `other` another model answers. */
function check(story: string, marks: Marks = {}): void {
	const breakpoints = new Breakpoints();
	for (const line of story.trim().split("\n")) {
		const [request = "", rest = ""] = line.split("|");
		const [expected = "", ...words] = rest.trim().split(/\s+/);
		const sent = freeze(body(request, words.includes("other") ? { ...marks, model: "other" } : marks));
		const out = (breakpoints.place(sent) ?? sent) as Body;
		assert.equal(ours(sent, out), expected, line);
		assert.deepEqual(without(out), without(sent));
		assert.ok(JSON.stringify(out).split("cache_control").length - 1 <= 4, line);
		assert.equal(anthropic.refuse(without(out) as Fields, memory(out)), undefined);
		assert.equal(marksFault(out), undefined, line);
		if (words.includes("again")) continue;
		breakpoints.answered(words.includes("lost") ? NO_REPORT : words.includes("cold") ? READ_NOTHING : READ_ALL);
	}
}

/** Of a provider that has signed all thinking of these bodies. */
const memory = (_: Body) => ({ calls: new Map(), signatures: new Map([["s", "I must."]]) });
const marksFault = (out: Body) => anthropic.refuse(out as unknown as Fields, memory(out));

const STORIES: [string, string, Marks?][] = [
	["a turn of few blocks needs no mark", "u | -\nu c3 r3 | -\nu c3 r3 a u | -"],
	["a turn of 18 blocks needs none, one of 19 does", "u | -\nu c9 r9 | -\nu c9 r9 a u | -\nu c9 r9 a u t9 r9 | 4"],
	[
		"a turn of many parallel calls is marked where the request before ended",
		"u | -\nu c12 r12 | 0\nu c12 r12 c20 r20 | 2",
	],
	[
		"a request that is sent again gets the same mark, answered or not",
		"u | -\nu c12 r12 | 0 again\nu c12 r12 | 0\nu c12 r12 | 0 again\nu c12 r12 a u | -",
	],
	[
		"an edit far back is marked in front of its batch, and at its own end, for the next one",
		`u | -
		u c5 r5 | -
		u c5 r5 c5 r5 | -
		u c5 r5 c5 r5 c5 r5 | -
		u c5 r5 c5 r5*2 c5 r5 c5 r5 | 2,4
		u c5 r5 c5 r5*2 c5 r5*1 c5 r5 c5 r5 | 4,6`,
	],
	[
		"an edit near the end is marked at its end alone",
		"u | -\nu c5 r5 | -\nu c5 r5 c2 r2 | -\nu c5 r5 c2 r2*1 c2 r2 | 4",
	],
	[
		"an edit in front of another's end is marked in front of both",
		`u | -
		u c5 r5 | -
		u c5 r5 c5 r5 | -
		u c5 r5 c5 r5 c5 r5 | -
		u c5 r5*1 c5 r5 c5 r5*2 c5 r5 | 0,6
		u c5 r5*1 c5 r5*4 c5 r5*2 c5 r5 c5 r5 | 0,4`,
	],
	["what an expired cache held is forgotten", "u | -\nu c5 r5 | -\nu c5 r5 c5 r5 | - cold\nu c5 r5*1 c5 r5 c5 r5 | 2"],
	["a request without a report is not taken for written", "u | -\nu c5 r5 | - lost\nu c5 r5 c5 r5 | 0"],
	[
		"another model has no such entries, and the first one keeps its own",
		"u | -\nu c12 r12 | - other\nu c12 r12 c12 r12 | 0",
	],
	["a process that has seen nothing looks where the newest answer came from", "u c12 r12 c12 r12 | 2"],
	["a conversation without an answer gets none", "u u u u u u u u u u u u u u u u u u u u u u u | -"],
	[
		"with four marks the tools' makes room, and for one more that of the first of two system blocks",
		"u | -\nu c12 r12 | 0\nu c12 r12 a u | -\nu c12 r12*2 a u c9 r9 | 0,2",
		{ oauth: true },
	],
	["the hour tier is copied", "u | -\nu c12 r12 | 0", { tier: HOUR }],
	["of two tiers the one behind is copied", "u | -\nu c12 r12 | 0", { systemTier: HOUR }],
];

for (const [name, story, marks] of STORIES) test(name, () => check(story, marks));

const CHAT = [
	{ role: "system", content: [{ type: "text", text: "Be good.", cache_control: SHORT }] },
	{ role: "user", content: "go" },
	...Array.from({ length: 12 }, (_, at) => [
		{ role: "assistant", content: "I look.", tool_calls: [{ id: `c${at}`, type: "function" }] },
		{ role: "tool", tool_call_id: `c${at}`, content: [{ type: "text", text: "out", cache_control: SHORT }] },
	]).flat(),
];
const UNTOUCHED: [string, unknown][] = [
	["no body", undefined],
	["a body without messages", { model: "m", input: [] }],
	["messages that are none", { model: "m", messages: [{ role: "user", content: "go" }, null, { content: [null] }] }],
	[
		"blocks that are none",
		{ ...body("u"), messages: [{ role: "user", content: [null, body("u").messages[0]!.content[0]] }] },
	],
	["caching that is off", without(body("u c12 r12"))],
	["a conversation that carries no mark", { ...body("u c12 r12"), messages: without(body("u c12 r12").messages) }],
	["chat completions, whose servers count in their own way", { model: "m", messages: CHAT }],
	["an answer at the end", body("u c12 r12 a")],
	["five marks, which are refused anyway", { ...body("u c12 r12", { oauth: true }), cache_control: SHORT }],
];

for (const [name, sent] of UNTOUCHED) {
	test(`${name}: no mark`, () => assert.equal(new Breakpoints().place(freeze(sent)), undefined));
}

/** Conversations through each of Pi's serialisers. */
const SEQUENCES = 300;
const SEED = Number(process.env.PI_ZIP_TEST_SEED ?? 20_261_130);

for (const [family, validate] of [
	["anthropic", validateAnthropic],
	["bedrock", validateBedrock],
] as const) {
	test(`${family}: what Pi writes, with a mark more, is taken; seed ${SEED}`, async () => {
		let marked = 0;
		for (const serialiser of await serialisersOf(family)) {
			for (let number = 0; number < SEQUENCES; number += 1) {
				const messages = sequenceOf(SEED + number, serialiser.origin);
				const breakpoints = new Breakpoints();
				for (const [at, { role }] of messages.entries()) {
					if (role !== "user" && role !== "toolResult") continue;
					if (messages[at + 1]?.role === "toolResult" || (at + number) % 3 > 0) continue;
					const sent = freeze(await serialiser.serialise(messages.slice(0, at + 1)));
					const out = breakpoints.place(sent);
					breakpoints.answered(READ_ALL);
					if (out === undefined) continue;
					marked += 1;
					assert.deepEqual(markless(out), markless(sent));
					const label = `${serialiser.name}, seed ${SEED + number}, message ${at}`;
					assert.deepEqual(validate(out), validate(sent), label);
				}
			}
		}
		assert.ok(marked > SEQUENCES / 10, `${marked} marked bodies prove little`);
	});
}

/** Bedrock's marks are blocks of their own; a bare string is one block of text. */
function markless(value: unknown): unknown {
	if (Array.isArray(value)) return value.filter((item) => !item?.cachePoint).map(markless);
	if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
	const fields = Object.entries(value).filter(([key]) => key !== "cache_control");
	return Object.fromEntries(
		fields.map(([key, inner]) =>
			key === "content" && typeof inner === "string" ? [key, [{ type: "text", text: inner }]] : [key, markless(inner)],
		),
	);
}
