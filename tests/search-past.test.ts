/** Past sessions are searched and recalled from their files: torn, foreign, older, of other folders, open elsewhere. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { runCommandLine } from "../src-ts/command-line.ts";
import { redact } from "../src-ts/redact.ts";
import { Past } from "../src-ts/search/past.ts";
import type { SearchRequest } from "../src-ts/search/request.ts";

const COMMAND_LINE = join(import.meta.dirname, "..", "pkg-js", "cli.cjs");
/** Sessions of 3.6 MB each: together three times the heap that they are searched in, in MB. */
const FLAT = { sessions: 40, heap: 48 };
const FILLER = "a line of work that says little\n".repeat(40);

const HUNTER = "Hunter2Hunter2xyz";
const KEY = `ghp_${"A1b2C3d4".repeat(5)}`;

const LEFT_BEFORE: readonly [text: string, secret: string][] = [
	[JSON.stringify({ body: JSON.stringify({ password: HUNTER }) }), HUNTER],
	[JSON.stringify({ content: JSON.stringify({ api_key: HUNTER }, null, 2) }), HUNTER],
	[JSON.stringify(`it is\n${KEY}`), KEY],
	[`\x1b[32m${KEY}\x1b[0m`, KEY],
	[`REDIS_URL=redis://:${HUNTER}@host:6379`, HUNTER],
	[`-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQdGBGT\n-----END PGP PRIVATE KEY BLOCK-----`, "lQdGBGT"],
	[`"private_key": "-----BEGIN PRIVATE KEY-----\\n${`${"MIIEabcd".repeat(8)}\\n`.repeat(200)}`, "MIIEabcd"],
	[`token=${"a".repeat(400)}tail`, "tail"],
	[`password="ab;${HUNTER}"`, HUNTER],
	['passphrase: "correct horse battery staple"', "battery"],
	[`- name: DB_PASSWORD\n  value: ${HUNTER}`, HUNTER],
	[`<password>${HUNTER}</password>`, HUNTER],
	[`curl -u admin:${HUNTER} https://host`, HUNTER],
	[`ENV DB_PASSWORD ${HUNTER}`, HUNTER],
	[`password=b'${HUNTER}'`, HUNTER],
	[`password = """${HUNTER}"""`, HUNTER],
	[`ENCRYPTION_KEY=${HUNTER}`, HUNTER],
	[`whsec_${"a1B2".repeat(8)}`, "a1B2"],
	[`SG.${"a1B2".repeat(5)}.${"a1B2".repeat(10)}`, "a1B2"],
	[`gsk_${"a1B2".repeat(13)}`, "a1B2"],
];

const HARMLESS = [
	"Author: Jonathan Smith <j@example.org>",
	'"input_tokens":1234567,',
	"CONSTRAINT pk_customer_addresses PRIMARY KEY (id)",
	'class="sk-fading-circle-container"',
	"if (token === undefined)",
	"Tests passed: 123456 of",
	"Basic understanding",
	"compass: northwest",
	"bypass = isEnabled",
];

interface Options {
	id: string;
	cwd?: string;
	version?: number;
	/** Days before the others. */
	age?: number;
	prompt: string;
	output: string;
}

/** A session of one prompt, one call and its output, as a file. */
function write(folder: string, { id, cwd = "/project", version = 3, age = 0, prompt, output }: Options): string {
	const at = "2026-03-04T05:06:07.000Z";
	const link = (n: number) =>
		version < 2 ? {} : { id: `${id.slice(0, 4)}${n}`, parentId: n === 1 ? null : `${id.slice(0, 4)}${n - 1}` };
	const message = (n: number, message: object) => ({
		type: "message",
		...link(n),
		timestamp: at,
		message: { timestamp: 1, ...message },
	});
	const lines = [
		{ type: "session", version, id, timestamp: at, cwd },
		message(1, { role: "user", content: prompt }),
		message(2, {
			role: "assistant",
			content: [{ type: "toolCall", id: "c", name: "bash", arguments: { command: `run ${id}` } }],
			stopReason: "toolUse",
		}),
		message(3, {
			role: "toolResult",
			toolCallId: "c",
			toolName: "bash",
			isError: false,
			content: [{ type: "text", text: output }],
		}),
	];
	const path = join(folder, `2026-03-04T05-06-07-000Z_${id}.jsonl`);
	writeFileSync(path, `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`);
	const changed = Date.now() / 1000 - age * 86_400;
	utimesSync(path, changed, changed);
	return path;
}

async function inFolder(
	body: (
		folder: string,
		past: (request: Partial<SearchRequest>, own?: string) => ReturnType<Past["search"]>,
		recall: (handle: string, isRedacted?: boolean) => ReturnType<Past["recall"]>,
	) => Promise<void>,
): Promise<void> {
	const folder = mkdtempSync(join(tmpdir(), "pi-zip-past-"));
	const before = process.env.PI_CODING_AGENT_DIR;
	process.env.PI_CODING_AGENT_DIR = join(folder, "agent");
	const manager = (own?: string) =>
		({ getSessionFile: () => own, getSessionDir: () => folder }) as unknown as ExtensionContext["sessionManager"];
	try {
		await body(
			folder,
			(request, own) =>
				new Past(() => true).search(
					{ caseSensitive: false, where: "all", limit: 20, offset: 0, ...request } as SearchRequest,
					{ cwd: "/project", sessionManager: manager(own) },
					undefined,
				),
			(handle, isRedacted = true) => new Past(() => isRedacted).recall(handle, manager(), undefined),
		);
	} finally {
		if (before === undefined) delete process.env.PI_CODING_AGENT_DIR;
		else process.env.PI_CODING_AGENT_DIR = before;
		rmSync(folder, { recursive: true });
	}
}

test("past sessions are found by words and by pattern, labelled, and recalled byte for byte", () =>
	inFolder(async (folder, search, recall) => {
		const odd = `${FILLER}the flux capacitor \ud800 needs 1.21 gigawatts\r\n\u2028end`;
		write(folder, { id: "11111111-aaaa-4aaa-8aaa-aaaaaaaaaaa1", prompt: "Start the machine.", output: odd, age: 2 });
		write(folder, {
			id: "22222222-aaaa-4aaa-8aaa-aaaaaaaaaaa2",
			prompt: "Something else.",
			output: FILLER,
			cwd: "/other",
		});
		const found = await search({ query: "flux gigawatts" });
		assert.deepEqual([found?.total, found?.searched, found?.sessions], [1, 2, 2]);
		const { text } = found!.hits[0]!;
		assert.match(text, /^[0-9a-z]{10}@aaaaaaa1 line 41 · session of 2026-03-04 in \/project · turn 1 · bash run 1111/);
		assert.match(text, /> 41\| the flux capacitor/);
		const handle = /^\S+/.exec(text)![0];
		const original = await recall(handle);
		assert.equal(original.kind === "found" && original.text, odd);
		assert.equal((await search({ pattern: "1\\.21 giga" }))?.total, 1);
		assert.equal((await search({ pattern: "FLUX", caseSensitive: true }))?.total, 0);
		assert.equal((await search({ query: "machine", role: "user" }))?.total, 1);
	}));

test("project means this folder's sessions, and the session that asks is left out", () =>
	inFolder(async (folder, search) => {
		const own = write(folder, { id: "11111111-aaaa-4aaa-8aaa-aaaaaaaaaaa1", prompt: "needle", output: "x" });
		write(folder, { id: "22222222-aaaa-4aaa-8aaa-aaaaaaaaaaa2", prompt: "needle", output: "x", age: 1 });
		write(folder, { id: "33333333-aaaa-4aaa-8aaa-aaaaaaaaaaa3", prompt: "needle", output: "x", cwd: "/other", age: 2 });
		const sessions = async (request: Partial<SearchRequest>) =>
			(await search(request, own))?.hits.map(({ text }) => /@(\S+)/.exec(text)?.[1]);
		assert.deepEqual(await sessions({ pattern: "needle" }), ["aaaaaaa2", "aaaaaaa3"], "newest first");
		assert.deepEqual(await sessions({ pattern: "needle", where: "project" }), ["aaaaaaa2"]);
	}));

test("torn, foreign, empty and older files take nothing away from the others", () =>
	inFolder(async (folder, search, recall) => {
		const torn = write(folder, { id: "11111111-aaaa-4aaa-8aaa-aaaaaaaaaaa1", prompt: "needle one", output: FILLER });
		appendFileSync(torn, '{"type":"message","id":"x","mess');
		write(folder, { id: "22222222-aaaa-4aaa-8aaa-aaaaaaaaaaa2", version: 1, prompt: "needle two", output: "x" });
		writeFileSync(join(folder, "empty.jsonl"), "");
		writeFileSync(join(folder, "foreign.jsonl"), '{"needle": "of another program"}\n');
		writeFileSync(join(folder, "garbage.jsonl"), Buffer.from([0xff, 0xfe, 0, 10, 13, 200]));
		mkdirSync(join(folder, "folder.jsonl"));
		const found = await search({ query: "needle" });
		assert.equal(found?.total, 2);
		for (const { text } of found!.hits) {
			const original = await recall(/^\S+/.exec(text)![0]);
			assert.match(original.kind === "found" ? original.text : original.kind, /^needle (?:one|two)$/);
		}
	}));

test("secrets are taken out of hits and recalls of other sessions, and it is said where, unless the setting is off", () =>
	inFolder(async (folder, search, recall) => {
		const key = `sk-ant-${"a1B2".repeat(10)}`;
		const output = `first\nexport API_KEY=${key}\nneedle with token: "abcdef123456" here\nlast`;
		write(folder, { id: "11111111-aaaa-4aaa-8aaa-aaaaaaaaaaa1", prompt: "go", output });
		const found = await search({ query: "needle" });
		const { text } = found!.hits[0]!;
		assert.doesNotMatch(text, /abcdef123456|a1B2/);
		assert.match(text, /token: "\[redacted\]/);
		const handle = /^\S+/.exec(text)![0];
		const clean = await recall(handle);
		assert.ok(clean.kind === "found");
		assert.doesNotMatch(clean.text, /abcdef123456|a1B2/);
		assert.match(clean.note ?? "", /2 secrets were taken out of it: in lines 2, 3/);
		const exact = await recall(handle, false);
		assert.equal(exact.kind === "found" && exact.text, output);
	}));

test("a key that a hit shows a part of is taken out before the hit is cut", () =>
	inFolder(async (folder, search) => {
		const key = `ghp_${"A1b2".repeat(30)}`;
		const long = `${"w ".repeat(400)}${key} needle ${"w ".repeat(400)}`;
		const pem = `-----BEGIN RSA PRIVATE KEY-----\nMIIEfirst\nMIIE/sealing/MIIE\n-----END RSA PRIVATE KEY-----`;
		write(folder, { id: "11111111-aaaa-4aaa-8aaa-aaaaaaaaaaa1", prompt: "go", output: `${long}\n${pem}\nthimble` });
		for (const query of ["needle", "sealing"]) {
			const { text } = (await search({ query }))!.hits[0]!;
			assert.match(text, query === "needle" ? /needle/ : /line 4 /);
			assert.doesNotMatch(text, /A1b2|MIIE/);
		}
	}));

test("a handle of no session, or of none of its entries, is answered at once", () =>
	inFolder(async (folder, _search, recall) => {
		write(folder, { id: "11111111-aaaa-4aaa-8aaa-aaaaaaaaaaa1", prompt: "go", output: "x" });
		for (const [handle, reason] of [
			["0000000000@aaaaaaa1", /no output has the handle 0000000000/],
			["0000000000@ffffffff", /there is no session ffffffff/],
		] as const) {
			const original = await recall(handle);
			assert.match(original.kind === "unknown" ? (original.reason ?? "") : original.kind, reason);
		}
	}));

test("a deadline is kept to, and what was not reached is counted", () =>
	inFolder(async (folder) => {
		for (let n = 10; n < 40; n += 1) {
			write(folder, { id: `${n}111111-aaaa-4aaa-8aaa-aaaaaaaaaa${n}`, prompt: "needle", output: FILLER, age: n });
		}
		const search = async (time: number) => {
			const args = ["search", "needle", "--json", "--time", String(time), "--sessions", folder];
			return JSON.parse((await runCommandLine(args, new AbortController().signal)) ?? "") as {
				hits: unknown[];
				searched: number;
				sessions: number;
			};
		};
		const all = await search(60_000);
		assert.deepEqual([all.searched, all.sessions], [30, 30]);
		const few = await search(0.001);
		assert.ok(few.searched < 30);
		assert.equal(few.sessions, 30);
	}));

test("threads that share the sessions find what one finds, in the same order", () =>
	inFolder(async (folder) => {
		for (let n = 10; n < 27; n += 1) {
			const output = `${FILLER}needle ${n}\n${FILLER}needle again`;
			write(folder, { id: `${n}111111-aaaa-4aaa-8aaa-aaaaaaaaaa${n}`, prompt: "go", output, age: n % 7 });
		}
		const ctx = { cwd: "/project", sessionManager: { getSessionFile: () => undefined, getSessionDir: () => folder } };
		const search = (threads: number, offset: number) =>
			new Past(() => true, runCommandLine, threads).search(
				{ pattern: "needle", caseSensitive: false, where: "all", limit: 9, offset } as SearchRequest,
				ctx as unknown as ExtensionContext,
				undefined,
			);
		for (const offset of [0, 9, 27]) {
			const [alone, shared] = [await search(1, offset), await search(4, offset)];
			assert.equal(alone?.total, 34);
			assert.equal(alone.hits.length, Math.min(34, 9 + offset));
			assert.deepEqual(shared, alone);
		}
	}));

test("keys and assigned secrets are seen, code that names them is not", () => {
	for (const secret of [
		`sk-proj-${"x".repeat(40)}`,
		`ghp_${"A1".repeat(18)}`,
		"AKIAIOSFODNN7EXAMPLE",
		`eyJhbGciOiJIUzI1NiJ9.${"e".repeat(20)}.${"s".repeat(20)}`,
		'password = "hunter2hunter2"',
		'"client_secret": "s3cr3tvalue"',
		"Authorization: Bearer abcdefghijklmnop",
		"postgres://user:hunter22@host/db",
		`-----BEGIN RSA PRIVATE KEY-----\n${"MII".repeat(30)}\n-----END RSA PRIVATE KEY-----`,
	]) {
		assert.match(redact(`before ${secret} after`), /\[redacted\]/, secret);
	}
	for (const [text, secret] of [
		["authorization: bearer abcdefghijklmnop123456", "abcdefghijklmnop"],
		[`Authorization: token ${"0a1b2c3d".repeat(5)}`, "0a1b2c3d"],
		["curl --token abcdef1234567890 https://host", "abcdef"],
		["curl --api-key 'abcdef1234567890'", "abcdef"],
		['DB_PASSWORD="$uperS3cret99"', "uperS3cret"],
		["password=new-pass-12345", "new-pass"],
		["SECRET_KEY=env-prod-83jd83jd", "83jd"],
		["token: nullable-9f8e7d6c", "9f8e"],
		[`-----BEGIN EC PRIVATE KEY-----\n${"MHcCAQEEIBkg\n".repeat(4)}`.replaceAll("g\n", "gAAA\n"), "MHcCAQEE"],
		[`-----BEGIN PRIVATE KEY-----\n${`${"MIIEvQ".repeat(10)}\n`.repeat(20)}${"later ".repeat(2_000)}`, "MIIEvQ"],
	] as const) {
		assert.ok(!redact(`before\n${text}\nafter`).includes(secret), text);
	}
	for (const code of [
		"const token = process.env.TOKEN;",
		"password: string;",
		"token = getToken(user)",
		"the secret of good soup",
		"git commit 3f786850e387550fdab836ed7e6dc881de23001b",
		"max_tokens: 4096",
		"const { token } = this.options.credentials;",
		"password = $DB_PASSWORD",
		"secret: process.env.SECRET_KEY!",
		"auth: await login(user, password)",
	]) {
		assert.equal(redact(code), code);
	}
	for (const [text, secret] of LEFT_BEFORE) assert.ok(!redact(text).includes(secret), text.slice(0, 200));
	for (const text of HARMLESS) assert.equal(redact(text), text);
	const long = `${"password".repeat(20_000)}=${"x".repeat(200_000)}`;
	assert.ok(redact(long).length > 0);
});

test("a value is told by what it is called, and what a call is about is looked at too", () =>
	inFolder(async (folder, search, recall) => {
		const file = write(folder, { id: "11111111-aaaa-4aaa-8aaa-aaaaaaaaaaa1", prompt: "go", output: "done" });
		const message = (n: number, message: object) =>
			appendFileSync(file, `${JSON.stringify({ type: "message", id: `m${n}`, parentId: `m${n - 1}`, message })}\n`);
		const args = { command: `curl -H "Authorization: Bearer ${KEY}"`, env: { DB_PASSWORD: `${HUNTER} thimble` } };
		message(1, { role: "assistant", content: [{ type: "toolCall", id: "d", name: "bash", arguments: args }] });
		const image = { type: "image", data: "aGVsbG8=", mimeType: "image/png" };
		const content = [{ type: "text", text: "sextant" }, image];
		message(2, { role: "toolResult", toolCallId: "d", toolName: "bash", isError: false, content });
		for (const query of ["thimble", "sextant"]) {
			const [hit] = (await search({ query }))!.hits;
			const answer = JSON.stringify(await recall(/^\S+/.exec(hit!.text)![0]));
			for (const text of [hit!.text, answer]) assert.ok(!text.includes(HUNTER) && !text.includes(KEY), text);
			if (query === "sextant") assert.match(answer, /"images":\[\{"at":7,"image":\{"type":"image","data":"aGVsbG8="/);
		}
	}));

test("memory is flat in the number of past sessions", () => {
	const folder = mkdtempSync(join(tmpdir(), "pi-zip-flat-"));
	const output = Array.from({ length: 130_000 }, (_, n) => `row ${n} of the old report\n`).join("");
	try {
		for (let n = 0; n < FLAT.sessions; n += 1)
			write(folder, { id: `f${String(n).padStart(6, "0")}`, prompt: "Show it.", output: `${output}mark ${n}\n` });
		const search = ["search", "--json", "--time", "600000", "--sessions", folder, "mark"];
		const limit = `--max-old-space-size=${FLAT.heap}`;
		const found = execFileSync(process.execPath, [limit, COMMAND_LINE, ...search], { encoding: "utf8" });
		const { total, searched } = JSON.parse(found);
		assert.deepEqual([total, searched], [FLAT.sessions, FLAT.sessions]);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
});
