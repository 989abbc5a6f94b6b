/** The published package: what is in it, how large it is, and that nothing of the machine it was built on is. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { homedir, tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { ROOT } from "../host/home.ts";
import { pack } from "./tarball.ts";

const KB = 1024;
/** Bytes that Pi loads when it starts: bundle and module. */
const MODULE_BOUND = 350 * KB;
/** Bytes that a user downloads. */
const TARBALL_BOUND = 400 * KB;

const FILES = [
	"CHANGELOG.md",
	"LICENSE",
	"README.md",
	"package.json",
	"pkg-js/core_bg.wasm",
	"pkg-js/extension.cjs",
	"pkg-js/index.js",
];
const LOADED = ["pkg-js/index.js", "pkg-js/extension.cjs", "pkg-js/core_bg.wasm"];

const folder = mkdtempSync(join(tmpdir(), "pi-zip-pack-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const tarball = pack(folder);

test("the tarball holds these files and no other", () => {
	assert.deepEqual([...tarball.files.keys()].sort(), FILES);
});

test("the package is small", (t) => {
	const loaded = LOADED.reduce((sum, file) => sum + (tarball.files.get(file) ?? Number.POSITIVE_INFINITY), 0);
	t.diagnostic(`loaded ${Math.round(loaded / KB)} KB, tarball ${Math.round(tarball.size / KB)} KB`);
	assert.ok(loaded <= MODULE_BOUND, `${loaded} bytes are loaded`);
	assert.ok(tarball.size <= TARBALL_BOUND, `the tarball has ${tarball.size} bytes`);
});

test("the bundle leaves nothing to be found at run time but Node's own modules and the module beside it", () => {
	const bundle = readFileSync(join(ROOT, "pkg-js/extension.cjs"), "utf8");
	const required = [...bundle.matchAll(/\b(?:require|import)\(\s*["'`]([^"'`]+)/g)].map((match) => match[1] ?? "");
	assert.deepEqual(
		required.filter((name) => !name.startsWith("node:")),
		[],
	);
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
