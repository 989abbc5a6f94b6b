/** File checks against Pi's own `read` as oracle, and the bounds of what the disk module touches. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
	appendFileSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	symlinkSync,
	utimesSync,
	writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join, relative } from "node:path";
import { after, test } from "node:test";
import { createReadTool } from "@earendil-works/pi-coding-agent";
import fc from "fast-check";
import type { FileCheck } from "../src-ts/files/unchanged.ts";
import { Disk, readBytes } from "../src-ts/files.ts";

const root = mkdtempSync(join(tmpdir(), "pi-zip-files-"));
after(() => rmSync(root, { recursive: true, force: true }));
const disk = new Disk(root);
const read = createReadTool(root);
const seed = Number(process.env.SEED ?? Date.now() % 1_000_000_007);

/** What Pi's `read` returns; nothing where it throws. */
async function shownByPi(check: FileCheck): Promise<string | undefined> {
	const result = await read.execute("call", { ...check }).catch(() => undefined);
	const block = result?.content[0];
	return block?.type === "text" ? block.text : undefined;
}

const withoutNotice = (text: string) => text.replace(/\n\n\[[^[\]\n]*Use offset=\d+ to continue\.\]$/, "");
const unchanged = (check: FileCheck, original: string, seenAt = Date.now()) =>
	disk.fileUnchanged({ check, original, seenAt }, root);

function file(name: string, content: string | Uint8Array): string {
	writeFileSync(join(root, name), content);
	return name;
}

const line = fc.oneof(
	{ weight: 6, arbitrary: fc.string({ maxLength: 12 }) },
	fc.string({ unit: "grapheme", maxLength: 12 }),
	fc.constantFrom("", "\r", "\t}", "[5 more lines in file. Use offset=3 to continue.]", "\u2028", "\uFEFFa", "\0"),
	fc.nat(30_000).map((length) => "x".repeat(length)),
);
const content = fc.oneof(
	fc.array(line, { maxLength: 30 }).map((lines) => lines.join("\n")),
	fc.tuple(line, fc.integer({ min: 1990, max: 2010 })).map(([text, count]) => `${text.slice(0, 40)}\n`.repeat(count)),
);
const position = fc.option(fc.oneof(fc.nat(12), fc.integer({ min: 1985, max: 2012 })), { nil: undefined });

test("a file is unchanged exactly where Pi's read shows the same text again", async () => {
	console.log(`seed ${seed}`);
	let same = 0;
	let different = 0;
	const cut = (text: string, at: number) => text.slice(0, at % (text.length + 1));
	await fc.assert(
		fc.asyncProperty(
			content,
			position,
			position,
			fc.nat(),
			line,
			fc.nat(5),
			async (before, offset, limit, at, text, kind) => {
				const check = { path: file("subject.txt", before), offset, limit };
				const original = await shownByPi(check);
				if (original === undefined || original.includes("exceeds 50.0KB limit")) return;
				assert.equal(await unchanged(check, original), true, "nothing changed");
				const now = [
					before + text,
					cut(before, at),
					cut(before, at) + text + before.slice(cut(before, at).length),
					`${text}\n${before}`,
					before.replace(/\n$/, ""),
					`${before}\n`,
				][kind]!;
				file("subject.txt", now);
				const again = await shownByPi(check);
				const equal = again !== undefined && withoutNotice(again) === withoutNotice(original);
				assert.equal(await unchanged(check, original), equal, `after change ${kind}`);
				if (equal) same++;
				else different++;
			},
		),
		{ seed, numRuns: 250 },
	);
	assert.ok(same > 20 && different > 20, `both answers occur: ${same} and ${different}`);
});

test("bytes that are no UTF-8 compare as read shows them", async () => {
	const check = { path: file("bytes.bin", Uint8Array.of(65, 0xff, 0xc3, 10, 0xe2, 0x82, 66)) };
	const original = (await shownByPi(check)) ?? "";
	assert.ok(original.includes("\uFFFD"));
	assert.equal(await unchanged(check, original), true);
});

test("a path leads where Pi's read goes", async () => {
	mkdirSync(join(root, "a folder"), { recursive: true });
	const name = file("a folder/it.txt", "one\ntwo");
	for (const path of [
		name,
		`@${name}`,
		`./${name}`,
		"a\u00A0folder/it.txt",
		join(root, name),
		`file://${root}/a%20folder/it.txt`,
	]) {
		assert.equal(await shownByPi({ path }), "one\ntwo", path);
		assert.equal(await unchanged({ path }, "one\ntwo"), true, path);
	}
	const fromHome = `~/${relative(homedir(), join(root, name))}`;
	assert.equal(await unchanged({ path: fromHome }, "one\ntwo"), true, fromHome);
});

test("only regular files are read, through links too", async () => {
	file("target.txt", "text");
	symlinkSync(join(root, "target.txt"), join(root, "link"));
	symlinkSync(join(root, "nowhere"), join(root, "dangling"));
	mkdirSync(join(root, "folder"));
	execFileSync("mkfifo", [join(root, "pipe")]);
	symlinkSync(join(root, "pipe"), join(root, "link-to-pipe"));
	assert.equal(await unchanged({ path: "link" }, "text"), true);
	for (const path of ["dangling", "folder", "pipe", "link-to-pipe", "missing", "target.txt/below", "nul\0"]) {
		assert.equal(await unchanged({ path }, "").catch(() => false), false, path);
	}
	const everywhere = new Disk();
	assert.equal(await everywhere.fileUnchanged({ check: { path: "/dev/zero" }, original: "", seenAt: 0 }, root), false);
});

test("a large file is judged by its times", async () => {
	const path = file("large.log", "a line of a log\n".repeat(200_000));
	const original = (await shownByPi({ path }))!;
	const changedAt = statSync(join(root, path)).ctimeMs;
	assert.equal(await unchanged({ path }, original, changedAt + 2500), true);
	assert.equal(await unchanged({ path }, original, changedAt + 1000), false);
	assert.equal(await unchanged({ path }, original, changedAt - 60_000), false);
	// A modification time that was set back leaves its trace in the other one.
	utimesSync(join(root, path), 1, 1);
	assert.equal(await unchanged({ path }, original, changedAt - 60_000), false);
});

test("a batch stays within its budget", async () => {
	const seen = Array.from({ length: 60 }, (_, index) => {
		const original = `text ${index}`;
		return { check: { path: file(`batch-${index}`, original) }, original, seenAt: Date.now() };
	});
	file("batch-7", "another text");
	const answers = await disk.filesUnchanged(seen, root, { files: 50, time: 60_000 });
	assert.deepEqual(
		answers,
		seen.map((_, index) => index !== 7 && index < 50),
	);
	assert.ok(!(await disk.filesUnchanged(seen, root, { files: 50, time: 0 })).includes(true));
	assert.deepEqual(await disk.filesUnchanged([], root), []);
});

test("under a test signal nothing outside the folder is touched", async () => {
	const outside = mkdtempSync(join(tmpdir(), "pi-zip-outside-"));
	after(() => rmSync(outside, { recursive: true, force: true }));
	writeFileSync(join(outside, "secret"), "text");
	symlinkSync(outside, join(root, "way-out"));
	for (const path of [
		join(outside, "secret"),
		`../${relative(tmpdir(), outside)}/secret`,
		"way-out/secret",
		`${root}-beside`,
	]) {
		await assert.rejects(unchanged({ path }, "text"), /refused under test/, path);
	}
	for (const path of [join(outside, "ledger"), join(root, "way-out", "ledger"), join(root, "..", "ledger")]) {
		assert.throws(() => disk.appendLine(path, "line"), /refused under test/, path);
	}
	const seen = { check: { path: join(outside, "secret") }, original: "text", seenAt: Date.now() };
	assert.deepEqual(await disk.filesUnchanged([seen], root), [false]);
	assert.equal(await new Disk().fileUnchanged(seen, root), true);
});

test("lines are appended to a file that only its owner reads", () => {
	const path = join(root, "ledger.jsonl");
	disk.appendLine(path, "one");
	disk.appendLine(path, "two");
	assert.equal(readFileSync(path, "utf8"), "one\ntwo\n");
	assert.equal(statSync(path).mode & 0o777, 0o600);
	appendFileSync(path, "three");
	assert.deepEqual([...readBytes(path).subarray(-5)], [...Buffer.from("three")]);
});

test("an export goes through no link that stands where it is written, and leaves nothing where it fails", async () => {
	const folder = join(root, "exports");
	mkdirSync(folder);
	const other = join(folder, "other");
	writeFileSync(other, "mine");
	symlinkSync(other, join(folder, `out.jsonl.${process.pid}.new`));
	symlinkSync(other, join(folder, "out.jsonl"));
	await Promise.all([
		disk.writeLines(join(folder, "out.jsonl"), ["a"]),
		disk.writeLines(join(folder, "out.jsonl"), ["a"]),
	]);
	assert.equal(readFileSync(join(folder, "out.jsonl"), "utf8"), "a\n");
	assert.equal(readFileSync(other, "utf8"), "mine");
	mkdirSync(join(folder, "taken"));
	await assert.rejects(disk.writeLines(join(folder, "taken"), ["a"]));
	assert.deepEqual(
		readdirSync(folder).filter((name) => name.startsWith("taken.")),
		[],
	);
});
