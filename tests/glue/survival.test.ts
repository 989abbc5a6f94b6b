/** What was learned of caches, in its file: its form, what is wrong with it, and many processes at once. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
	chmodSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	realpathSync,
	rmSync,
	statSync,
	symlinkSync,
	utimesSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { learner } from "../../src-ts/core.ts";
import { Disk } from "../../src-ts/files.ts";
import { type CacheKey, LEARNED_FILE, Survivals } from "../../src-ts/survival.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "pi-zip-survival-")));
after(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;
const newFile = () => join(folder, `learned-${files++}.json`);

const KEY: CacheKey = { provider: "p", model: "m", tier: "short" };
/** Of the short tier, after 365 s, lived, where 300 s are declared. */
const LIVED = [0, 365_000, 1, 300_000, 1];
const opened = (...path: string[]) =>
	new Survivals(
		new Disk(folder).sharedFile(() => path),
		learner,
	);

/** Returns of a bin that the file tells of, ever. */
function seen(path: string, bin: string): number {
	return JSON.parse(readFileSync(path, "utf8")).caches.p.m.short[bin][2];
}

test("an observation is in the file, for its owner alone, and in the next process", () => {
	const path = ["agent", ...LEARNED_FILE];
	const survivals = opened(folder, ...path);
	survivals.record(KEY, LIVED);
	survivals.record({ ...KEY, tier: "long" }, [1, 7_200_000, 0, 3_600_000, 1]);
	const file = join(folder, ...path);
	assert.equal(statSync(file).mode & 0o777, 0o600);
	assert.deepEqual(JSON.parse(readFileSync(file, "utf8")), {
		version: 3,
		caches: { p: { m: { short: { 360: [1, 0, 1] }, long: { 7200: [0, 1, 1] } } } },
		returns: {},
	});
	assert.deepEqual(readdirSync(join(file, "..")), [LEARNED_FILE[1]]);
	const next = opened(folder, ...path);
	assert.deepEqual(next.of(KEY), []);
	next.refresh();
	assert.deepEqual(next.of(KEY), survivals.of(KEY));
	assert.deepEqual(next.of({ ...KEY, model: "other" }), []);
});

test("how long the user stays away is counted by bin, and how often for good", () => {
	const file = newFile();
	const survivals = opened(file);
	for (const gap of [20_000, 45_000, 400_000, 400_000, Number.POSITIVE_INFINITY]) survivals.recordReturn(gap);
	const { returns } = JSON.parse(readFileSync(file, "utf8"));
	assert.deepEqual(returns, { 30: 0.9703, 360: 1.9701, never: 1 });
	const next = opened(file);
	next.refresh();
	assert.deepEqual(
		next.returns.filter((count) => count > 0),
		[0.9703, 1.9701, 1],
	);
	assert.equal(next.returns.at(-1), 1);
});

test("names of providers and models may be any", () => {
	const file = newFile();
	const keys = ["__proto__", "a/b", '"', "constructor"].map((name) => ({ ...KEY, provider: name, model: name }));
	for (const key of keys) opened(file).record(key, LIVED);
	const next = opened(file);
	next.refresh();
	for (const key of keys) assert.ok(next.of(key).length > 0, key.provider);
});

const BROKEN: [string, string][] = [
	["empty", ""],
	["torn", '{"version": 3, "caches": {"p": {"m": {"short": {"300": [1,'],
	["no object", "[1]"],
	["of another form", '{"version": 3, "caches": [{"p": 1}]}'],
	["senseless", '{"version": 3, "caches": {"p": {"m": {"short": {"360": [-1, "2", null], "7": [1, 1, 1]}}}}}'],
];
for (const [what, text] of BROKEN) {
	test(`a file that is ${what} counts as none, and is written anew`, () => {
		const file = newFile();
		writeFileSync(file, text);
		const survivals = opened(file);
		survivals.refresh();
		assert.ok(!survivals.of(KEY).some((count) => count > 0));
		survivals.record(KEY, LIVED);
		assert.equal(seen(file, "360"), 1);
	});
}

test("warm stretches are counted for all sessions, and older ones fade", () => {
	const file = newFile();
	opened(file).recordStretch(10);
	assert.throws(() => readFileSync(file), "nothing is kept before something was learned");
	opened(file).record(KEY, LIVED);
	for (const requests of [10, 20, 10_000]) {
		const survivals = opened(file);
		survivals.refresh();
		survivals.recordStretch(requests);
	}
	const next = opened(file);
	assert.deepEqual(next.stretches, [0, 0], "nothing is known before the file is read");
	next.refresh();
	const [count, requests] = next.stretches;
	assert.ok(count > 2.9 && count < 3, `${count}`);
	assert.ok(requests > 320 && requests < 330, `${requests}: one alone does not say it all`);
	for (const stretches of ["many", [1], [-1, 2], [1, null], { 0: 1, 1: 2 }]) {
		writeFileSync(file, JSON.stringify({ version: 3, caches: {}, stretches }));
		const odd = opened(file);
		odd.refresh();
		assert.deepEqual(odd.stretches, [0, 0], JSON.stringify(stretches));
	}
});

test("what is understood of a file of 0.2 is taken over once", () => {
	const old = [
		{ version: 1, "p/m": { "<5m": { hits: 3, misses: 1 }, "5m-1h": { hits: 2 }, ">1h": { misses: 40 } } },
		{
			models: { p: { m: { bins: { "0-300": { warm: 3, cold: 1 }, "300-3600": { warm: 2 }, "3600+": { cold: 11 } } } } },
		},
	];
	for (const content of old) {
		const file = newFile();
		writeFileSync(file, JSON.stringify(content));
		const survivals = opened(file);
		survivals.refresh();
		assert.ok(survivals.of(KEY).some((count) => count > 0));
		survivals.record({ ...KEY, model: "other" }, LIVED);
		const { version, caches } = JSON.parse(readFileSync(file, "utf8"));
		assert.equal(version, 3);
		assert.deepEqual(caches.p.m.short, {
			30: [3, 0, 3],
			240: [0, 1, 1],
			300: [2, 0, 2],
			86400: [0, 10, 10],
		});
	}
	for (const content of [{ a: 1 }, { "p/m": { hits: 3 } }, { "p/m": { "5m": "many" } }, { "<5m": { hits: 3 } }]) {
		const file = newFile();
		writeFileSync(file, JSON.stringify(content));
		opened(file).record(KEY, LIVED);
		assert.deepEqual(JSON.parse(readFileSync(file, "utf8")).caches, { p: { m: { short: { 360: [1, 0, 1] } } } });
	}
});

test("a file of a later version is left as it is, and what is seen counts for this process", () => {
	const file = newFile();
	const text = '{"version": 4, "caches": {"p": {"m": {"short": {"360": [9, 9, 9]}}}}}';
	writeFileSync(file, text);
	const survivals = opened(file);
	survivals.refresh();
	assert.deepEqual(survivals.of(KEY), []);
	survivals.record(KEY, LIVED);
	survivals.refresh();
	assert.equal(readFileSync(file, "utf8"), text);
	assert.ok(survivals.of(KEY).some((count) => count > 0));
	assert.ok(!survivals.unwritten);
});

test("where the disk refuses, what is seen counts for this process", () => {
	const aFile = newFile();
	writeFileSync(aFile, "");
	const aFolder = newFile();
	mkdirSync(aFolder);
	for (const path of [join(aFile, "below"), aFolder, "/outside/of/the/test.json"]) {
		const survivals = opened(path);
		survivals.refresh();
		survivals.record(KEY, LIVED);
		survivals.refresh();
		assert.ok(survivals.of(KEY).some((count) => count > 0));
		assert.ok(!survivals.unwritten);
	}
});

test("a file that must not be written is not", () => {
	const file = newFile();
	writeFileSync(file, "{}", { mode: 0o400 });
	opened(file).record(KEY, LIVED);
	assert.equal(readFileSync(file, "utf8"), "{}");
	chmodSync(file, 0o600);
});

test("a link stays one", () => {
	const [file, link] = [newFile(), newFile()];
	writeFileSync(file, "{}");
	symlinkSync(file, link);
	opened(link).record(KEY, LIVED);
	assert.equal(seen(file, "360"), 1);
});

test("while another process writes, an observation waits; what a process that was ended has left is cleared away", () => {
	const file = newFile();
	const survivals = opened(file);
	writeFileSync(`${file}.lock`, String(process.pid));
	survivals.record(KEY, LIVED);
	assert.ok(survivals.unwritten);
	assert.ok(
		survivals.of(KEY).some((count) => count > 0),
		"it counts here already",
	);
	const longAgo = Date.now() / 1000 - 60;
	utimesSync(`${file}.lock`, longAgo, longAgo);
	survivals.write();
	assert.ok(survivals.unwritten, "its owner is still there");
	// No process has this number: the largest that a system gives is below it.
	writeFileSync(`${file}.lock`, "99999999");
	survivals.write();
	assert.ok(survivals.unwritten, "it has only just been taken");
	utimesSync(`${file}.lock`, longAgo, longAgo);
	survivals.write();
	assert.ok(!survivals.unwritten);
	assert.equal(seen(file, "360"), 1);
	assert.deepEqual(
		readdirSync(folder).filter((name) => name.includes(".lock") || name.endsWith(".new")),
		[],
	);
});

const PROCESSES = 8;
const RETURNS = 40;

test("eight processes that record at once lose no count, and nobody reads a torn file", async () => {
	const file = newFile();
	const child = join(import.meta.dirname, "children/returns.ts");
	const { NODE_TEST_CONTEXT: _, ...env } = process.env;
	const children = Array.from({ length: PROCESSES }, (_, own) =>
		spawn(process.execPath, ["--no-warnings", child, file, String(own), String(RETURNS)], { env, stdio: "inherit" }),
	);
	let running = PROCESSES;
	const ended = Promise.all(
		children.map(async (process_) => {
			const [code] = await once(process_, "exit");
			running -= 1;
			assert.equal(code, 0);
		}),
	);
	let reads = 0;
	while (running > 0) {
		await new Promise((settle) => setTimeout(settle, 2));
		try {
			JSON.parse(readFileSync(file, "utf8"));
			reads += 1;
		} catch (error) {
			assert.equal((error as NodeJS.ErrnoException).code, "ENOENT");
		}
	}
	await ended;
	assert.ok(reads > 0);
	assert.equal(seen(file, "60") + seen(file, "360"), PROCESSES * RETURNS);
});
