/** The published package: what is in it, how large it is, and that nothing of the machine it was built on is. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { homedir, tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { session, write } from "../cli/session.ts";
import { ROOT } from "../host/home.ts";
import { pack } from "./tarball.ts";

const KB = 1024;
/** Bytes of the module, which is compiled whenever Pi starts. */
const MODULE_BOUND = 350 * KB;
/** Bytes that a user downloads. */
const TARBALL_BOUND = 400 * KB;

const MODULE = "pkg-js/core_bg.wasm";
const BUNDLE = "pkg-js/extension.cjs";
const CLI = "pkg-js/cli.cjs";
const FILES = [
	"CHANGELOG.md",
	"LICENSE",
	"README.md",
	"package.json",
	"pi-zip.schema.json",
	CLI,
	MODULE,
	BUNDLE,
	"pkg-js/index.js",
	"pkg-js/lab_bg.wasm.br",
];

const folder = mkdtempSync(join(tmpdir(), "pi-zip-pack-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const tarball = pack(folder);

test("the tarball holds these files and no other", () => {
	assert.deepEqual([...tarball.files.keys()].sort(), FILES);
});

test("the package is small", (t) => {
	const bytes = (file: string) => tarball.files.get(file) ?? Number.POSITIVE_INFINITY;
	const kilobytes = (size: number) => `${Math.round(size / KB)} KB`;
	t.diagnostic(
		`module ${kilobytes(bytes(MODULE))}, bundle ${kilobytes(bytes(BUNDLE))}, tarball ${kilobytes(tarball.size)}`,
	);
	assert.ok(bytes(MODULE) <= MODULE_BOUND, `the module has ${bytes(MODULE)} bytes`);
	assert.ok(tarball.size <= TARBALL_BOUND, `the tarball has ${tarball.size} bytes`);
});

test("the bundles leave nothing to be found at run time but Node's own modules and the module beside them", () => {
	for (const file of [BUNDLE, CLI]) {
		const bundle = readFileSync(join(ROOT, file), "utf8");
		const required = [...bundle.matchAll(/\b(?:require|import)\(\s*["'`]([^"'`]+)/g)].map((match) => match[1] ?? "");
		assert.deepEqual(
			required.filter((name) => !name.startsWith("node:")),
			[],
			file,
		);
	}
});

test("Pi's bundle holds nothing of the command line", () => {
	assert.doesNotMatch(readFileSync(join(ROOT, BUNDLE), "utf8"), /lab_bg\.wasm|usage: pi-zip/);
});

test("the command line runs from the package alone", () => {
	execFileSync("tar", ["-xzf", tarball.path, "-C", folder]);
	const cli = join(folder, "package", CLI);
	const file = write(join(folder, "session.jsonl"), session({ output: "the original" }));
	const run = (...args: string[]) => execFileSync(process.execPath, [cli, ...args], { cwd: folder, encoding: "utf8" });
	const { sessions } = JSON.parse(run("replay", "--json", file)) as { sessions: { requests: number }[] };
	assert.equal(sessions[0]?.requests, 4);
	assert.match(run("report", file, "-o", "-"), /^<!doctype html>/);
	const [handle] = /\w{10}(?=["<])/.exec(run("report", file, "-o", "-").split("bash npm test")[1] ?? "") ?? [];
	assert.equal(run("recall", file, handle ?? ""), "the original");
});

test("no file of the package names a place on this machine", () => {
	const places = [ROOT, homedir(), userInfo().homedir].filter((path) => path.length > 1).map((path) => `${path}/`);
	for (const file of tarball.files.keys()) {
		const text = readFileSync(join(ROOT, file), "latin1");
		for (const place of places) {
			const at = text.indexOf(place);
			assert.equal(at, -1, `${file}: ${text.slice(at, at + 120)}`);
		}
	}
});
