/** All files are as the formatters write them, and hold to the linter and the type checker. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import test from "node:test";
import { ROOT } from "./sources.ts";

const modules = (file: string) => join(ROOT, "node_modules", file);

const CHECKS: { [name: string]: readonly [command: string, ...args: string[]] } = {
	biome: [process.execPath, modules("@biomejs/biome/bin/biome"), "check", "--colors=off", "."],
	tsc: [process.execPath, modules("typescript/bin/tsc"), "--noEmit"],
	"cargo fmt": ["cargo", "fmt", "--all", "--check"],
};

for (const [name, [command, ...args]] of Object.entries(CHECKS)) {
	test(`${name} has nothing to say`, () => {
		const { status, stdout, stderr, error } = spawnSync(command, args, { cwd: ROOT, encoding: "utf8" });
		assert.equal(status, 0, `${error ?? ""}${stdout}${stderr}`);
	});
}
