/** The package and crate files agree with each other, and the lock file holds no address. */
import assert from "node:assert/strict";
import test from "node:test";
import { read } from "./sources.ts";

interface Locked {
	version?: string;
	resolved?: string;
	integrity?: string;
	link?: boolean;
}

const lock = JSON.parse(read("package-lock.json")) as { version: string; packages: { [path: string]: Locked } };
const manifest = JSON.parse(read("package.json")) as {
	version: string;
	dependencies?: object;
	allowScripts: { [name: string]: boolean };
};

test("the lock file pins contents and not addresses", () => {
	const packages = Object.entries(lock.packages).filter(([path]) => path !== "");
	assert.ok(packages.length > 0);
	for (const [path, { resolved, integrity }] of packages) {
		assert.equal(resolved, undefined, path);
		// Packages inside another package's archive are pinned with it.
		if (!path.includes("/node_modules/")) assert.match(integrity ?? "", /^sha512-/, path);
	}
});

test("one version everywhere", () => {
	assert.equal(lock.version, manifest.version);
	assert.equal(/^version = "(.+)"$/m.exec(read("Cargo.toml"))?.[1], manifest.version);
	for (const crate of ["pi-zip-core", "pi-zip-wasm"]) {
		const locked = new RegExp(`name = "${crate}"\nversion = "(.+)"`).exec(read("Cargo.lock"));
		assert.equal(locked?.[1], manifest.version, crate);
	}
});

test("the bindings' version is the one that CI installs", () => {
	const pinned = /^wasm-bindgen = "=(.+)"$/m.exec(read("Cargo.toml"))?.[1];
	assert.match(read(".ci/run"), new RegExp(`^bindgen_version=${pinned}$`, "m"));
});

test("a user installs nothing beside the package", () => {
	assert.equal(manifest.dependencies, undefined);
});

test("only the two runtimes may run a script when they are installed", () => {
	assert.deepEqual(manifest.allowScripts, { node: true, bun: true });
});
