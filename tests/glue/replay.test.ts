/** `/zip report` and the bill of `/zip stats`: what is asked of the command line, and what is said of its answer. */
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { runCommandLine } from "../../src-ts/command-line.ts";
import type { ExtensionCommandContext, Host } from "../../src-ts/host.ts";
import { billLines, Replays } from "../../src-ts/replay.ts";
import { scratch, session, write } from "../cli/session.ts";

const folder = scratch();
process.env.TMPDIR = folder;
/** Dollars for a million tokens. */
const COST = { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 };
const NEVER = new AbortController().signal;

function context(file: string | undefined, mode = "rpc", role = "assistant"): ExtensionCommandContext {
	const getBranch = () => [{ type: "message", message: { role, provider: "anthropic", model: "claude-test" } }];
	const sessionManager = { getSessionFile: () => file, getBranch };
	return {
		mode,
		sessionManager,
		modelRegistry: { find: () => ({ cost: COST }) },
	} as unknown as ExtensionCommandContext;
}

const HOST = {} as Host;

test("the page is written beside the user's temporary files, for them alone", async () => {
	const file = write(join(folder, `report-${process.pid}.jsonl`), session());
	const page = join(tmpdir(), `pi-zip-report-${process.pid}.html`);
	assert.equal(await new Replays(HOST).report(context(file)), `pi-zip · wrote ${page}`);
	assert.equal(statSync(page).mode & 0o777, 0o600);
});

test("the bill names its parts and what was saved", async () => {
	const file = write(join(folder, "bill.jsonl"), session({ cost: 0.05 }));
	const [billed, parts, saved] = await new Replays(HOST).bill(context(file));
	assert.equal(billed, "billed: $0.20 in 4 requests");
	assert.match(parts ?? "", /^ {2}.*answers \$0\.10$/);
	assert.match(
		saved ?? "",
		/^against plain Pi, by replay: \$[\d.]+ instead of \$[\d.]+, saved -?\$[\d.]+ \(-?[\d.]+ %\)$/,
	);
});

test("where no cost was recorded the prices in force here stand in", async () => {
	const file = write(join(folder, "unpriced.jsonl"), session({ cost: 0 }));
	const [billed] = await new Replays(HOST).bill(context(file));
	// 40 tokens of input, 6,400 read, 7,700 written, 800 of answers: 80 + 1,280 + 19,250 + 8,000 millionths.
	assert.equal(billed, "billed: $0.0286 in 4 requests (prices estimated)");
});

test("amounts without dollars are marked", () => {
	const lines = billLines({
		requests: 1,
		dollars: false,
		estimated: true,
		simulated: true,
		billed: 1_000,
		bill: [
			{ part: "read", money: 250 },
			{ part: "ours", money: 0 },
			{ part: "output", money: 750 },
		],
		recorded: 900,
		policies: [{ policy: "plain", cost: 1_200 }],
	});
	assert.deepEqual(lines, [
		"billed: 1.0K tok in 1 request (prices estimated, use of the cache simulated)",
		"  read from cache 250 tok, answers 750 tok",
		"against plain Pi, by replay: 900 tok instead of 1.2K tok, saved 300 tok (25.0 %)",
	]);
});

test("what cannot be replayed is said in a line", async () => {
	const missing = join(folder, "missing.jsonl");
	const replays = new Replays(HOST);
	assert.equal(await replays.report(context(undefined)), "pi-zip · no report: this session is kept in no file");
	assert.equal(await replays.report(context(missing)), `pi-zip · no report: ${missing}: no such file or folder`);
	const unanswered = context(missing, "rpc", "user");
	assert.equal(await replays.report(unanswered), "pi-zip · no report: nothing was answered yet");
	assert.deepEqual(await replays.bill(unanswered), ["bill: nothing was answered yet"]);
	assert.deepEqual(await replays.bill(context(undefined)), ["bill: not known (this session is kept in no file)"]);
	assert.deepEqual(await replays.bill(context(missing)), ["bill: no answer has reported its tokens"]);
});

test("a thread stops when it is told to", async () => {
	const file = write(join(folder, "stopped.jsonl"), session());
	const stop = new AbortController();
	const ran = runCommandLine(["replay", "--json", file], stop.signal);
	stop.abort();
	assert.equal(await ran, undefined);
	assert.equal(await runCommandLine(["replay", "--json", file], stop.signal), undefined);
	assert.ok(await runCommandLine(["replay", "--json", file], NEVER));
});

test("on a terminal Esc stops the replay, and so does the session's end", async () => {
	let loader: { onAbort?: () => void; controller: AbortController } | undefined;
	class BorderedLoader {
		onAbort?: () => void;
		readonly controller = new AbortController();
		constructor() {
			loader = this;
		}
		get signal(): AbortSignal {
			return this.controller.signal;
		}
	}
	const signals: AbortSignal[] = [];
	const replays = new Replays({ pi: { BorderedLoader } } as unknown as Host, (_args, signal) => {
		signals.push(signal);
		return new Promise((done) => signal.addEventListener("abort", () => done(undefined)));
	});
	const ctx = {
		...context(join(folder, "any.jsonl"), "tui"),
		ui: { custom: (show: (...args: unknown[]) => unknown) => new Promise((done) => void show({}, {}, {}, done)) },
	} as unknown as ExtensionCommandContext;
	const stopped = replays.report(ctx);
	loader?.controller.abort();
	loader?.onAbort?.();
	assert.equal(await stopped, "pi-zip · stopped");
	assert.ok(signals[0]?.aborted);
	const ended = replays.bill(ctx);
	replays.close();
	assert.deepEqual(await ended, ["bill: stopped"]);
});
