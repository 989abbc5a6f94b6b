/** In the TypeScript layer one file each knows the module, the disk and the environment; every file says what it is. */
import assert from "node:assert/strict";
import test from "node:test";
import { code, files, read } from "./sources.ts";

const sources = files(/^src-ts\/.*\.ts$/);
const commandLine = files(/^cli\/.*\.ts$/);

/** Files that import a module at run time; `import type` is gone by then. */
function importersOf(module: RegExp): string[] {
	return sources.filter((file) => {
		const text = code(file);
		const from = [...text.matchAll(/^(?:import|export)\b(?!\s+type\b)[^;]*?from\s*"([^"]+)"/gm)];
		const bare = [...text.matchAll(/\b(?:import|require)\s*\(?\s*"([^"]+)"/g)];
		return [...from, ...bare].some((match) => module.test(match[1] ?? ""));
	});
}

test("only core.ts loads the Rust module", () => {
	assert.deepEqual(importersOf(/\/build\/core\//), ["src-ts/core.ts"]);
});

test("only files.ts and its folder touch the disk", () => {
	assert.deepEqual(importersOf(/^(?:node:)?fs(?:\/|$)/), [
		"src-ts/files.ts",
		"src-ts/files/shared.ts",
		"src-ts/files/unchanged.ts",
	]);
});

test("only settings.ts reads the environment", () => {
	assert.deepEqual(
		sources.filter((file) => /\bprocess\s*(?:\.|\?\.)\s*env\b|["']env["']/.test(code(file))),
		["src-ts/settings.ts"],
	);
});

test("Pi's own packages come from Pi: they are imported for their types only", () => {
	assert.deepEqual(importersOf(/^@earendil-works\//), []);
});

test("nothing opens a connection or starts a process, and one file starts a thread", () => {
	assert.deepEqual(importersOf(/^(?:node:)?(?:https?|http2|net|tls|dgram|dns|child_process)(?:\/|$)/), []);
	assert.deepEqual(importersOf(/^(?:node:)?worker_threads$/), ["src-ts/command-line.ts"]);
	assert.deepEqual(
		sources.filter((file) => /\bfetch\s*\(/.test(code(file))),
		[],
	);
});

test("of the command line, two files touch the disk, two read the environment, and none goes further", () => {
	const importers = (module: RegExp) => commandLine.filter((file) => module.test(code(file)));
	assert.deepEqual(importers(/from "node:fs"/), ["cli/disk.ts", "cli/lab.ts"]);
	assert.deepEqual(importers(/\bprocess\.env\b/), ["cli/output.ts", "cli/sessions.ts"]);
	assert.deepEqual(importers(/"(?:node:)?(?:https?|http2|net|tls|dgram|dns|child_process)"|\bfetch\s*\(/), []);
	assert.deepEqual(importers(/^import (?!type)[^;]*"@earendil-works\//m), []);
});

test("each file of the sources opens with what it is", () => {
	const rust = files(/^(?:crates\/[\w-]+|xtask)\/src\/.*\.rs$/);
	assert.ok(rust.length > 0);
	for (const file of rust) assert.match(read(file), /^\/\/! \S/, file);
	for (const file of [...sources, ...commandLine, ...files(/^scripts\/.*\.(?:ts|mjs)$/)])
		assert.match(read(file), /^\/(?:\/|\*)/, file);
});
