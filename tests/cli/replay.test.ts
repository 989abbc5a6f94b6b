/** `pi-zip replay`: which sessions it finds, what it says of them, and what it does with files that are none. */
import assert from "node:assert/strict";
import { utimesSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { run, scratch, session, write } from "./session.ts";

interface Outcome {
	policy: string;
	cost: number;
	misses: number;
}

interface Json {
	sessions: {
		path: string;
		requests: number;
		returns: number;
		billed: number;
		dollars: boolean;
		policies: Outcome[];
	}[];
	total: { dollars: { sessions: number; billed: number; policies: Outcome[] }; tokens: { sessions: number } };
	failed: { path: string; reason: string }[];
}

const cwd = scratch();

function json(args: readonly string[], env: Record<string, string> = {}): Json {
	return JSON.parse(run(["replay", "--json", ...args], { cwd, env }).stdout) as Json;
}

/** Gives a file a time of its own, the larger the newer. */
function touch(path: string, seconds: number): string {
	utimesSync(path, seconds, seconds);
	return path;
}

test("a session is replayed against plain Pi, and the bill is the recorded one", () => {
	const file = write(join(cwd, "one.jsonl"), session({ cost: 0.05 }));
	const { sessions, failed } = json([file]);
	assert.deepEqual(failed, []);
	const [row] = sessions;
	assert.equal(row?.requests, 4);
	assert.equal(row.returns, 1);
	assert.ok(Math.abs(row.billed - 0.2) < 1e-9);
	assert.equal(row.dollars, true);
	assert.deepEqual(
		row.policies.map(({ policy }) => policy),
		["plain", "pi-zip"],
	);
});

test("without arguments all sessions of the user are found, newest first, by Pi's variables and settings", () => {
	const agent = join(cwd, "agent");
	const moved = join(cwd, "moved");
	const older = touch(write(join(agent, "sessions/--a--/older.jsonl"), session()), 1_000);
	const newer = touch(write(join(agent, "sessions/--b--/newer.jsonl"), session()), 3_000);
	const elsewhere = touch(write(join(moved, "elsewhere.jsonl"), session()), 2_000);
	write(join(agent, "settings.json"), [{ sessionDir: moved }]);
	const paths = json([], { PI_CODING_AGENT_DIR: agent }).sessions.map(({ path }) => path);
	assert.deepEqual(paths, [newer, elsewhere, older]);
	const { status, stderr, stdout } = run(["replay"], { cwd });
	assert.equal(status, 0);
	assert.equal(stdout, "");
	assert.match(stderr, /Pi keeps no sessions here/);
});

test("a folder, --since and --model narrow down what is replayed", () => {
	const folder = join(cwd, "some");
	write(join(folder, "one.jsonl"), session({ model: "alpha-1" }));
	write(join(folder, "below/two.jsonl"), session({ model: "beta-2" }));
	write(join(folder, "notes.txt"), ["no session"]);
	const models = (...args: string[]) =>
		json([folder, ...args]).sessions.map(({ path }) => path.slice(folder.length + 1));
	assert.deepEqual(models().sort(), ["below/two.jsonl", "one.jsonl"]);
	assert.deepEqual(models("--model", "BETA"), ["below/two.jsonl"]);
	assert.deepEqual(models("--since", "2026-03-02").length, 2);
	assert.deepEqual(models("--since", "2026-03-03"), []);
});

test("missing, empty, torn and foreign files are named in one line each, and the others go on", () => {
	const folder = join(cwd, "mixed");
	const good = write(join(folder, "good.jsonl"), session());
	const torn = write(join(folder, "torn.jsonl"), [...session(), '{"type":"mess']);
	const shreds = write(join(folder, "shreds.jsonl"), ['{"type":"mess']);
	const foreign = write(join(folder, "foreign.jsonl"), [{ some: "thing" }]);
	const empty = write(join(folder, "empty.jsonl"), []);
	const missing = join(folder, "missing.jsonl");
	const { status, stderr, stdout } = run(["replay", missing, empty, foreign, shreds, torn, good], { cwd });
	assert.equal(status, 1);
	const said = stderr.trimEnd().split("\n").sort();
	assert.deepEqual(said, [
		`pi-zip: ${empty}: the file is empty`,
		`pi-zip: ${foreign}: not a session file of Pi`,
		`pi-zip: ${missing}: no such file or folder`,
		`pi-zip: ${shreds}: no line of it can be read`,
		`pi-zip: ${torn}: 1 line could not be read (torn or broken); the rest counts`,
	]);
	assert.match(stdout, /total of 2 sessions/);
});

test("policies stand side by side, and none is cheaper than the bound", () => {
	const file = write(join(cwd, "policies.jsonl"), session());
	const [row] = json([file, "--policy", "all"]).sessions;
	const costs = new Map(row?.policies.map(({ policy, cost }) => [policy, cost]));
	assert.deepEqual([...costs.keys()], ["plain", "pi-zip", "known-rule", "clairvoyant"]);
	for (const cost of costs.values()) assert.ok(cost >= costs.get("clairvoyant")! - 1e-9);
	const table = run(["replay", file, "--policy", "known-rule,pi-zip"], { cwd }).stdout;
	assert.match(table, /known-rule/);
	assert.equal(run(["replay", "--policy", "best"], { cwd }).status, 2);
	assert.equal(run(["replay", "--since", "yesterday"], { cwd }).status, 2);
});

test("without recorded cost amounts are marked as estimated, in tokens of input, and summed apart", () => {
	const priced = write(join(cwd, "priced.jsonl"), session());
	const free = write(join(cwd, "free.jsonl"), session({ cost: 0 }));
	const { total } = json([priced, free]);
	assert.equal(total.dollars.sessions, 1);
	assert.equal(total.tokens.sessions, 1);
	const table = run(["replay", priced, free], { cwd }).stdout;
	assert.match(table, /~[\d.]+K? tok/);
	assert.match(table, /~ estimated/);
});

test("declared prices stand in for a cost that was not recorded: the user's before those that Pi fetched", () => {
	const agent = join(cwd, "priced-agent");
	const free = write(join(cwd, "unpriced.jsonl"), session({ cost: 0 }));
	const cost = { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 };
	const billed = (...args: string[]) => {
		const row = json([free, ...args], { PI_CODING_AGENT_DIR: agent }).sessions[0]!;
		return row.dollars ? row.billed.toFixed(5) : "tokens";
	};
	assert.equal(billed(), "tokens");
	write(join(agent, "models-store.json"), [{ anthropic: { models: [{ id: "claude-test", cost }, { id: 7 }] } }]);
	// 40 tokens of input, 6,400 read, 7,700 written, 800 of answers: 80 + 1,280 + 19,250 + 8,000 millionths.
	assert.equal(billed(), "0.02861");
	const override = { modelOverrides: { "claude-test": { cost: { output: 20 } } } };
	write(join(agent, "models.json"), ["// mine", `{"providers": {"anthropic": ${JSON.stringify(override)},} }`]);
	assert.equal(billed(), "0.03661");
	assert.equal(billed("--prices", JSON.stringify({ "anthropic/claude-test": { ...cost, input: 1_002 } })), "0.06861");
	// Above 3,200 tokens, as three of the four requests are, everything is ten times as dear.
	const tiers = [{ inputTokensAbove: 3_200, input: 20, output: 100, cacheRead: 2, cacheWrite: 25 }];
	assert.equal(billed("--prices", JSON.stringify({ "anthropic/claude-test": { ...cost, tiers } })), "0.20042");
	for (const wrong of ["{", "[]", '{"a/b":1}'])
		assert.equal(run(["replay", free, "--prices", wrong], { cwd }).status, 2);
});

test("what a summary or a tool's own call cost is billed, and under each policy alike", () => {
	const lines = session();
	const without = json([write(join(cwd, "without.jsonl"), lines)]).sessions[0]!;
	const usage = {
		input: 900,
		output: 100,
		cacheRead: 0,
		cacheWrite: 0,
		cost: { input: 0.02, output: 0.01, total: 0.03 },
	};
	const parentId = lines.at(-1)!.id;
	const asides = [
		{ type: "compaction", id: "c", parentId, summary: "s", firstKeptEntryId: "ask-3", tokensBefore: 100, usage },
		{ type: "usage", id: "u", parentId: "c", kind: "title", provider: "p", model: "m", usage },
		{ type: "usage", id: "v", parentId: "u", kind: "title", provider: "p", model: "m", usage: { input: 1e300 } },
	];
	const file = write(join(cwd, "asides.jsonl"), [...lines, ...asides]);
	const row = json([file]).sessions[0]!;
	assert.ok(Math.abs(row.billed - without.billed - 0.06) < 1e-9);
	for (const [index, { cost }] of row.policies.entries()) {
		assert.ok(Math.abs(cost - without.policies[index]!.cost - 0.06) < 1e-9);
	}
	assert.match(run(["report", file, "-o", "-"], { cwd }).stdout, /Other calls.*2\.0K.*\$0\.0600/);
});

test("costs that are one sum, or absurd, end in amounts that can be", () => {
	const costs = (name: string, cost: Record<string, number>) => {
		const lines = session().map((line) => {
			const message = line.message as { usage?: Record<string, unknown> } | undefined;
			return message?.usage ? { ...line, message: { ...message, usage: { ...message.usage, cost } } } : line;
		});
		return json([write(join(cwd, name), lines)]).sessions[0]!;
	};
	const sums = costs("sums.jsonl", { total: 0.05 });
	assert.ok(Math.abs(sums.billed - 0.2) < 1e-9);
	for (const { cost } of sums.policies) assert.ok(cost > 0.02 && cost < 2, String(cost));
	const absurd = costs("absurd.jsonl", { input: 1e308, output: 1e308, total: 1e308 });
	assert.equal(absurd.dollars, false);
	for (const { cost } of absurd.policies) assert.ok(cost > 0 && cost < 100_000, String(cost));
	assert.doesNotMatch(run(["replay", join(cwd, "absurd.jsonl")], { cwd }).stdout, /NaN|Infinity|null/);
});

test("no control character of a session or a path reaches the output", () => {
	const evil = "\u001b[31mred\u0007\u009b2J\u202e";
	const file = write(
		join(cwd, `evil\u001b[2J.jsonl`),
		session({ cwd: `/srv/${evil}`, model: evil, command: evil, output: evil }),
	);
	// Without a time the title begins with the folder.
	const { timestamp: _, ...header } = session({ cwd: `/srv/${evil}` })[0]!;
	const bare = write(join(cwd, "bare.jsonl"), [header, ...session().slice(1)]);
	for (const args of [
		["replay", file],
		["replay", bare],
		["replay", "--json", file],
		["replay", `${file}.none`],
		["report", file],
	]) {
		const { stdout, stderr } = run(args, { cwd, env: { NO_COLOR: "1" } });
		assert.doesNotMatch(stdout + stderr, /(?![\n\t])[\p{Cc}\u202e]/u, args[0]);
	}
});
