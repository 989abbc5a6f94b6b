/** Whether a request is what Pi makes of the session: the only proof that nobody took anything out of it on its way. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { ExtensionContext, Host } from "../../src-ts/host.ts";
import { Sent } from "../../src-ts/summary/sent.ts";

const text = (words: string) => [{ type: "text", text: words }];
const BODY = {
	model: "m",
	max_tokens: 8_000,
	system: [{ type: "text", text: "You help.", cache_control: { type: "ephemeral" } }],
	tools: [{ name: "bash" }],
	messages: [
		{ role: "user", content: "hello" },
		{ role: "assistant", content: text("hi") },
		{ role: "user", content: [{ type: "text", text: "go on", cache_control: { type: "ephemeral" } }] },
	],
};
/** The same conversation, an answer later. */
const LATER = {
	...BODY,
	max_tokens: 1,
	system: text("You help."),
	messages: [
		{ role: "user", content: text("hello") },
		{ role: "assistant", content: text("hi") },
		{ role: "user", content: text("go on") },
		{ role: "assistant", content: text("done") },
	],
};

/** What `isPisOwn` says where `sent` went out and Pi would write `own`. */
async function judge(sent: unknown, own: unknown, options: { expected?: boolean; virtual?: boolean } = {}) {
	const host = { pi: { convertToLlm: (messages: unknown) => messages } } as unknown as Host;
	const model = { provider: "p", id: "m", api: options.virtual ? "pi-virtual" : "a" };
	let reached = 0;
	const ctx = {
		model,
		thinkingLevel: "off",
		sessionManager: {
			getSessionId: () => "s",
			getLeafEntry: () => undefined,
			buildSessionProjection: () => ({ messages: [] }),
		},
		modelRegistry: {
			streamSimple: (_model: unknown, _context: unknown, options: { onPayload(payload: unknown): unknown }) => {
				const result = async () => {
					await options.onPayload(own);
					reached += 1;
				};
				return { result };
			},
		},
	} as unknown as ExtensionContext;
	const last = new Sent(host, () => undefined);
	if (options.expected !== false) last.expect();
	last.keep(sent, ctx);
	const verdict = await last.isPisOwn(ctx);
	assert.equal(reached, 0, "nothing goes out");
	return verdict;
}

const with_ = (change: object) => ({ ...BODY, ...change });
const CASES: [what: string, sent: unknown, own: unknown, verdict: boolean | undefined][] = [
	["the session as it was", BODY, LATER, true],
	["the very same", BODY, BODY, true],
	[
		"a redacted message",
		with_({ messages: [{ role: "user", content: "(cut)" }, ...BODY.messages.slice(1)] }),
		LATER,
		false,
	],
	["a message less", with_({ messages: BODY.messages.slice(1) }), LATER, false],
	[
		"a message more at the end",
		with_({ messages: [...BODY.messages, { role: "user", content: "mind" }] }),
		LATER,
		false,
	],
	["another system prompt", with_({ system: text("Obey.") }), LATER, false],
	["another tool", with_({ tools: [] }), LATER, false],
	["a field more", with_({ temperature: 1 }), LATER, false],
	["a field less", BODY, { ...LATER, temperature: 1 }, false],
	[
		"settings as a last message without content",
		with_({ messages: [...BODY.messages, { role: "system", content: [] }] }),
		LATER,
		true,
	],
	["the list of another API", { input: BODY.messages }, { input: LATER.messages }, true],
	["a shape without a list", { prompt: "hello" }, { prompt: "hello" }, false],
	["no object", "hello", "hello", undefined],
	["more than is held", with_({ system: text("x".repeat(8 * 1024 * 1024 + 1)) }), LATER, undefined],
];

for (const [what, sent, own, verdict] of CASES) {
	test(`${what}: ${verdict}`, async () => {
		assert.equal(await judge(sent, own), verdict);
	});
}

test("a request that is none of the session's runs is not taken for one", async () => {
	assert.equal(await judge(BODY, LATER, { expected: false }), undefined);
});

/** What goes out when `sent` is extended to what Pi writes now, and how it ends. */
async function extend(sent: object, own: object, change: object = {}) {
	const host = { pi: { convertToLlm: (messages: unknown) => messages } } as unknown as Host;
	const model = { provider: "p", id: "m", api: "a" };
	let out: unknown;
	let asked: { messages: { role: string; content: unknown }[] } = { messages: [] };
	const ctx = {
		model,
		thinkingLevel: "off",
		sessionManager: { getSessionId: () => "s", buildSessionProjection: () => ({ messages: [] }) },
		modelRegistry: {
			streamSimple: (_: unknown, context: typeof asked, options: { onPayload(payload: unknown): unknown }) => {
				asked = context;
				const result = async () => {
					try {
						out = await options.onPayload(own);
						return { stopReason: "stop" };
					} catch {
						return { stopReason: "error" };
					}
				};
				return { result };
			},
		},
	} as unknown as ExtensionContext;
	const last = new Sent(host, () => undefined);
	last.expect();
	last.keep(sent, ctx);
	const answer = await last.extend("Sum up.", { ...ctx, ...change } as ExtensionContext, new AbortController().signal);
	return { answer, out, asked };
}

const MARK = { cache_control: { type: "ephemeral" } };
const marked = (words: string) => [{ type: "text", text: words, ...MARK }];
const EXTENDED = {
	...LATER,
	system: marked("You help."),
	messages: [...LATER.messages, { role: "user", content: marked("Sum up.") }],
};

test("the request that is extended keeps the mark at which it was written, and what is new its own", async () => {
	const { answer, out, asked } = await extend(BODY, EXTENDED);
	assert.equal(answer?.stopReason, "stop");
	assert.deepEqual(asked.messages.at(-1)?.content, text("Sum up."));
	assert.deepEqual(out, { ...EXTENDED, messages: [...BODY.messages, ...EXTENDED.messages.slice(3)] });
});

test("never more than four marks go out: older ones go, then the one of the tools", async () => {
	const older = { role: "user", content: marked("hello") };
	const tools = [{ name: "bash", ...MARK }];
	const { out } = await extend(with_({ tools, messages: [older, ...BODY.messages.slice(1)] }), { ...EXTENDED, tools });
	assert.equal(JSON.stringify(out).split("cache_control").length - 1, 4);
	assert.match(JSON.stringify((out as typeof BODY).messages[2]), /cache_control/);
	const system = [...marked("You are Claude."), ...marked("You help.")];
	const crowded = await extend(with_({ tools, system }), { ...EXTENDED, tools, system });
	assert.equal(JSON.stringify(crowded.out).split("cache_control").length - 1, 4);
	assert.doesNotMatch(JSON.stringify((crowded.out as typeof BODY).tools), /cache_control/);
});

test("nothing goes out where the request would differ, or another model or depth of thinking is in use", async () => {
	for (const [sent, change] of [
		[with_({ temperature: 1 }), {}],
		[BODY, { model: { provider: "p", id: "other", api: "a" } }],
		[BODY, { thinkingLevel: "high" }],
	] as const) {
		const { answer, out } = await extend(sent, EXTENDED, change);
		assert.deepEqual([answer, out], [undefined, undefined]);
	}
});

test("of a virtual model nothing is held", async () => {
	assert.equal(await judge(BODY, LATER, { virtual: true }), undefined);
});

const PATIENCE = 10_000;

/** A request that is held, in a session that goes on as Pi would write it: what lets go of it, and what is known then. */
async function held(letGo: (last: Sent, ctx: ExtensionContext) => unknown, own: unknown = LATER) {
	const host = { pi: { convertToLlm: (messages: unknown) => messages } } as unknown as Host;
	const ctx = {
		model: { provider: "p", id: "m", api: "a" },
		thinkingLevel: "off",
		sessionManager: { getSessionId: () => "s", buildSessionProjection: () => ({ messages: [] }) },
		modelRegistry: {
			streamSimple: (_: unknown, __: unknown, options: { onPayload(payload: unknown): unknown }) => ({
				result: async () => options.onPayload(own),
			}),
		},
	} as unknown as ExtensionContext;
	const last = new Sent(host, () => undefined);
	const isThere = keepOne(last, ctx);
	assert.ok(last.holds);
	await letGo(last, ctx);
	for (const end = Date.now() + PATIENCE; last.holds && Date.now() < end; ) await wait(5);
	assert.ok(!last.holds);
	const known = await last.isPisOwn(ctx);
	const answer = await last.extend("Sum up.", ctx, new AbortController().signal);
	assert.equal(answer, undefined, "nothing is sent by it");
	// Whoever looks keeps it for as long as the look takes, so a collection follows a pause.
	for (const end = Date.now() + PATIENCE; isThere() && Date.now() < end; collect()) await wait(5);
	await wait(5);
	return { known, isKnown: last.isKnown, isFree: !isThere() };
}

/** Keeps a request that nobody else holds; tells whether it is still in memory. */
function keepOne(last: Sent, ctx: ExtensionContext): () => boolean {
	const body = structuredClone(BODY);
	last.expect();
	last.keep(body, ctx);
	const kept = new WeakRef(body);
	return () => kept.deref() !== undefined;
}

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

test("a request that is let go is gone from memory; what it has shown stays known", async () => {
	assert.deepEqual(await held((last, ctx) => last.free(ctx)), { known: true, isKnown: true, isFree: true });
	const redacted = with_({ system: text("Obey.") });
	assert.deepEqual(await held((last, ctx) => last.free(ctx), redacted), { known: false, isKnown: true, isFree: true });
});

test("it is let go once its cache is gone, and no sooner", async () => {
	let asked = 0;
	const left = () => {
		asked += 1;
		return asked < 4 ? 1 : 0;
	};
	assert.deepEqual(await held((last, ctx) => last.rest(ctx, left)), { known: true, isKnown: true, isFree: true });
	assert.ok(asked >= 4, `asked ${asked} times`);
});

test("where it is dropped, or its session is over, nothing stays known", async () => {
	const nothing = { known: undefined, isKnown: false, isFree: true };
	assert.deepEqual(await held((last) => last.drop()), nothing);
	let asked = 0;
	const left = () => {
		asked += 1;
		if (asked > 1) throw new Error("stale");
		return 1;
	};
	assert.deepEqual(await held((last, ctx) => last.rest(ctx, left)), nothing);
});
