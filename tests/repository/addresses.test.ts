/** No committed file names a package registry's host or a place on the machine it was written on. */
import assert from "node:assert/strict";
import { homedir, userInfo } from "node:os";
import test from "node:test";
import { files, ROOT, read } from "./sources.ts";

/** In two parts each, so that this file does not hold what it forbids. */
const REGISTRY_HOSTS = [
	["registry.npmjs", "org"],
	["registry.yarnpkg", "com"],
	["registry.npmmirror", "com"],
	["static.crates", "io"],
	["index.crates", "io"],
	["proxy.golang", "org"],
	["pypi", "org"],
].map((parts) => parts.join("."));

/** Folders that only the machine of a person or of a build has. Examples in tests use other names. */
const MACHINE_PATH = /(?<![\w.~/-])\/(?:root|work|mnt|Users\/\w+|home\/\w+)\/\w/;

function offending(forbidden: (line: string) => boolean): string[] {
	return files().flatMap((file) =>
		read(file)
			.split("\n")
			.flatMap((line, at) => (forbidden(line) ? [`${file}:${at + 1}: ${line.trim().slice(0, 120)}`] : [])),
	);
}

test("no file names a registry's host", () => {
	assert.deepEqual(
		offending((line) => REGISTRY_HOSTS.some((host) => line.includes(host))),
		[],
	);
});

test("no file names a path of the machine", () => {
	const own = [ROOT, homedir(), userInfo().homedir].filter((path) => path.length > 1).map((path) => `${path}/`);
	assert.deepEqual(
		offending((line) => MACHINE_PATH.test(line) || own.some((path) => line.includes(path))),
		[],
	);
});

test("the check of paths sees one", () => {
	for (const path of ["root", "work", "home/someone"]) assert.match(`read "/${path}/notes.txt"`, MACHINE_PATH);
	for (const line of ["import './mnt/a.ts'", "src/mnt/a.ts", "https://host/home/page/x"]) {
		assert.doesNotMatch(line, MACHINE_PATH);
	}
});
