/** `pi-zip recall`: originals outside Pi, byte for byte. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { ROOT } from "../host/home.ts";
import { run, scratch, session, write } from "./session.ts";

const cwd = scratch();

/** The first 48 bits of the digest as ten digits of base 36. */
function handleOf(id: string): string {
	const number = createHash("sha256").update(`pi-zip:${id}`).digest().readUIntBE(0, 6);
	return number.toString(36).padStart(10, "0");
}

const HANDLE = handleOf("output-1");

const HOSTILE = "a\u0000b\r\nc\u001b[31mred\u2028d\ttab\n\ud83d\ude00 pair\nlast without feed";

test("the original comes back byte for byte", () => {
	const file = write(join(cwd, "hostile.jsonl"), session({ output: HOSTILE }));
	const { status, bytes, stderr } = run(["recall", file, HANDLE], { cwd });
	assert.equal(stderr, "");
	assert.equal(status, 0);
	assert.deepEqual(bytes, Buffer.from(HOSTILE));
});

test("two megabytes in one line come back whole", () => {
	const output = "0123456789abcdef".repeat(131_072);
	const file = write(join(cwd, "long.jsonl"), session({ output }));
	const { bytes } = run(["recall", file, HANDLE], { cwd });
	assert.equal(createHash("sha256").update(bytes).digest("hex"), createHash("sha256").update(output).digest("hex"));
});

test("half a surrogate pair becomes U+FFFD and is told of; --json keeps it", () => {
	const output = "high \ud83d. low \ude00.";
	const file = write(join(cwd, "lone.jsonl"), session({ output }));
	const plain = run(["recall", file, HANDLE], { cwd });
	assert.equal(plain.stdout, "high \ufffd. low \ufffd.");
	assert.match(plain.stderr, /^pi-zip: half a surrogate pair [^\n]*\n$/);
	const json = JSON.parse(run(["recall", file, HANDLE, "--json"], { cwd }).stdout) as { text: string; tool: string };
	assert.equal(json.text, output);
	assert.equal(json.tool, "bash");
});

test("grep and range select lines; a range may begin with a dash", () => {
	const output = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`).join("\n");
	const file = write(join(cwd, "lines.jsonl"), session({ output }));
	const select = (...args: string[]) => run(["recall", file, HANDLE, ...args], { cwd }).stdout;
	assert.equal(select("--range", "3-4"), "line 3\nline 4\n");
	assert.equal(select("--range", "-2"), "line 1\nline 2\n");
	assert.equal(select("--grep", "LINE 2$"), "line 2\n");
	assert.equal(select("--grep", "1", "--range=9-11"), "line 10\nline 11\n");
	const none = run(["recall", file, HANDLE, "--grep", "absent"], { cwd });
	assert.equal(none.status, 1);
	assert.match(none.stderr, /^pi-zip: no line of the 20 is selected\n$/);
});

test("a file without ids, with torn lines, gives its originals by their places", () => {
	const lines = session({ output: "old output" }).filter(({ type }) => type !== "context_edit");
	const bare = lines.map(({ id: _, parentId: __, version: ___, ...line }) => line);
	const [header, ...entries] = bare;
	// The output is the third entry.
	const file = write(join(cwd, "v1.jsonl"), [header!, ...entries, '{"type":"message","torn']);
	const { status, stdout } = run(["recall", file, handleOf("line-3")], { cwd });
	assert.equal(stdout, "old output");
	assert.equal(status, 0);
});

test("a hit of a search is recalled by its name", () => {
	const sessions = join(cwd, "named");
	const [header, ...entries] = session({ output: "old output" });
	write(join(sessions, "one.jsonl"), [{ ...header, id: "11111111-2222-4333-8444-5555abcd1234" }, ...entries]);
	const found = run(["recall", `${HANDLE}@abcd1234`, "--sessions", sessions], { cwd });
	assert.equal(found.stdout, "old output");
	const unknown = run(["recall", `${HANDLE}@abcd9999`, "--sessions", sessions], { cwd });
	assert.match(unknown.stderr, /^pi-zip: there is no session abcd9999\n$/);
});

test("what cannot be served is said in one line", () => {
	const file = write(join(cwd, "errors.jsonl"), session());
	const lost = write(
		join(cwd, "lost.jsonl"),
		session().filter(({ id }) => id !== "output-1"),
	);
	const empty = write(join(cwd, "empty.jsonl"), []);
	const foreign = write(join(cwd, "foreign.jsonl"), [{ type: "other" }]);
	const cases: [args: string[], status: number, says: RegExp][] = [
		[["recall", file, `${HANDLE.slice(0, 9)}!`], 1, /no output has the handle .*; nearest: \w{10} \(bash npm test\)/],
		[["recall", lost, HANDLE], 1, /no longer in the file/],
		[["recall", join(cwd, "none.jsonl"), HANDLE], 1, /none\.jsonl: no such file or folder/],
		[["recall", cwd, HANDLE], 1, /it is a folder/],
		[["recall", empty, HANDLE], 1, /the file is empty/],
		[["recall", foreign, HANDLE], 1, /not a session file of Pi/],
		[["recall", file], 2, /recall takes FILE and HANDLE/],
		[["recall", file, HANDLE, "--range", "9-1"], 2, /holds no line/],
		[["recall", file, HANDLE, "--nonsense"], 2, /Unknown option '--nonsense'/],
		[["nonsense"], 2, /there is no command nonsense/],
	];
	for (const [args, status, says] of cases) {
		const ran = run(args, { cwd });
		assert.equal(ran.status, status, args.join(" "));
		assert.match(ran.stderr, says);
		assert.match(ran.stderr, /^pi-zip: [^\n]*\n$/);
		assert.equal(ran.stdout, "");
	}
});

test("each command has help", () => {
	for (const args of [[], ["recall"], ["replay"], ["report"], ["search"]]) {
		const { status, stdout, stderr } = run([...args, "--help"], { cwd });
		assert.match(stdout, /^usage: pi-zip/);
		assert.equal(stderr, "");
		assert.equal(status, 0);
	}
});

test("it says its version", () => {
	const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
	assert.equal(run(["--version"], { cwd }).stdout, `${version}\n`);
});

test("the bundle starts by itself", () => {
	assert.match(readFileSync(join(ROOT, "pkg-js/cli.cjs"), "utf8"), /^#!\/usr\/bin\/env node\n/);
});
