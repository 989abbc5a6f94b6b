// Brings a clone to where its scripts, demo and tests can run: npm packages, the Rust target, the module with its glue,
// and the bundle. Each part is made only when it is missing or its inputs changed. It installs no Rust toolchain.

import { existsSync, lstatSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { BUNDLE_OUTPUTS, bundle } from "./bundle.mjs";
import { clearStamp, digestOf, isFresh, writeStamp } from "./stamp.mjs";
import { findProgram, runStep, StepFailed, say } from "./step.mjs";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const WASM_TARGET = "wasm32-unknown-unknown";
/** The modules by their names: `core` for Pi, `lab` for the command line. Each is generated into build/NAME. */
const MODULES = { core: "pi-zip-wasm", lab: "pi-zip-lab-wasm" };
const MODULE_NAMES = Object.keys(MODULES);

const MODULE_INPUTS = ["crates", "xtask", "Cargo.toml", "Cargo.lock"];
const MODULE_OUTPUTS = MODULE_NAMES.flatMap((name) =>
	[".js", ".d.ts", "_bg.wasm"].map((end) => `build/${name}/${name}${end}`),
);
const BUNDLE_INPUTS = ["src-ts", "cli", ...MODULE_NAMES.map((name) => `build/${name}`), "scripts/bundle.mjs"];

const RUST_HINT =
	"install Rust's stable toolchain with rustup (see https://rustup.rs), open a new shell and run again.";
const NETWORK_HINT = "Check the network and the package registry's settings, then run again.";
const BUILD_HINT = "Mend what the output above names and run again; with an old toolchain, run `rustup update stable`.";

/** The generator runs once and nobody debugs it: without debug information it compiles in less time. */
const XTASK_ENV = { CARGO_PROFILE_DEV_DEBUG: "0", CARGO_INCREMENTAL: "0" };

/** @param {string} path */
const inRoot = (path) => join(ROOT, path);
/** @param {string} name */
const logOf = (name) => inRoot(`build/log/${name}.txt`);

/**
 * Sets up and builds what is missing. Throws `StepFailed` with what to do.
 *
 * @returns {Promise<{ node: string }>} the Node that runs the repository's scripts
 */
export async function setUp() {
	// The packages come from the network while the compiler needs the processor: both at once.
	await allOf([installPackages(), buildModules()]);
	await buildBundle();
	return { node: installedNode() };
}

/**
 * Waits for all parts even if one fails, so that none writes on after the process has said what is wrong.
 *
 * @param {Promise<void>[]} parts
 */
async function allOf(parts) {
	for (const result of await Promise.allSettled(parts)) if (result.status === "rejected") throw result.reason;
}

async function installPackages() {
	const modules = inRoot("node_modules");
	const link = lstatSync(modules, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
	if (link) return;
	// npm writes this file last: an installation that was cut short has none.
	const installed = statSync(join(modules, ".package-lock.json"), { throwIfNoEntry: false });
	if (installed !== undefined && installed.mtimeMs >= statSync(inRoot("package-lock.json")).mtimeMs) return;
	say("setting up");
	await runStep({
		title: "npm packages",
		command: ["npm", "ci", "--no-audit", "--no-fund", "--loglevel=error"],
		hint: NETWORK_HINT,
		root: ROOT,
		log: logOf("npm"),
	});
}

async function buildModules() {
	const stamp = inRoot("build/modules.stamp");
	const digest = digestOf(ROOT, MODULE_INPUTS);
	if (isFresh(stamp, digest, MODULE_OUTPUTS.map(inRoot))) return;
	if (findProgram("cargo", existsSync) === undefined) throw new StepFailed(`cargo is not found: ${RUST_HINT}`);
	clearStamp(stamp);
	await addWasmTarget();
	say("building");
	const shared = { hint: BUILD_HINT, root: ROOT };
	// The target folder is named, since a user's own setting would put the module elsewhere.
	const cargo = (/** @type {string[]} */ ...args) => ["cargo", ...args, "--locked", "--target-dir", "target"];
	await allOf([
		compileModules(cargo),
		runStep({
			...shared,
			title: "the bindings generator",
			command: cargo("build", "--package", "xtask"),
			env: XTASK_ENV,
			log: logOf("xtask"),
		}),
	]);
	for (const [name, crate] of Object.entries(MODULES)) {
		const module = `target/${WASM_TARGET}/module/${crate.replaceAll("-", "_")}.wasm`;
		await runStep({
			...shared,
			title: `the glue of ${name}`,
			command: [...cargo("run", "--package", "xtask"), "--", module, `build/${name}`, name],
			env: XTASK_ENV,
			log: logOf(`glue-${name}`),
		});
	}
	writeStamp(stamp, digest);
}

/**
 * One after the other: compiled at once, they would share the features of what both use, and Pi's module would grow.
 *
 * @param {(...args: string[]) => string[]} cargo
 */
async function compileModules(cargo) {
	for (const [name, crate] of Object.entries(MODULES)) {
		await runStep({
			title: `the module ${name}`,
			command: cargo("build", "--profile", "module", "--package", crate, "--lib", "--target", WASM_TARGET),
			hint: BUILD_HINT,
			root: ROOT,
			env: { CARGO_ENCODED_RUSTFLAGS: pathFlags().join("\u001f") },
			log: logOf(`module-${name}`),
		});
	}
}

/** A panic's message names its source file: as it stands in the repository, not where this machine keeps it. */
function pathFlags() {
	const cargoHome = process.env.CARGO_HOME ?? join(homedir(), ".cargo");
	return [`--remap-path-prefix=${cargoHome}=cargo`, `--remap-path-prefix=${ROOT}=.`];
}

async function addWasmTarget() {
	const shared = { root: ROOT, log: logOf("rust-target") };
	const sysroot = await sysrootOfRustc();
	if (existsSync(join(sysroot, "lib/rustlib", WASM_TARGET))) return;
	if (findProgram("rustup", existsSync) === undefined) {
		throw new StepFailed(`The Rust target ${WASM_TARGET} is missing and rustup is not found: ${RUST_HINT}`);
	}
	say("setting up");
	await runStep({
		...shared,
		title: "the Rust target",
		command: ["rustup", "target", "add", WASM_TARGET],
		hint: `${NETWORK_HINT} By hand: rustup target add ${WASM_TARGET}`,
	});
}

async function sysrootOfRustc() {
	const { execFile } = await import("node:child_process");
	return new Promise((/** @type {(sysroot: string) => void} */ done, fail) => {
		execFile("rustc", ["--print", "sysroot"], { cwd: ROOT }, (error, stdout, stderr) => {
			if (error === null) done(stdout.trim());
			else fail(new StepFailed(`${stderr}rustc does not run: ${RUST_HINT}`));
		});
	});
}

async function buildBundle() {
	const stamp = inRoot("build/bundle.stamp");
	const digest = digestOf(ROOT, BUNDLE_INPUTS);
	if (isFresh(stamp, digest, BUNDLE_OUTPUTS.map(inRoot))) return;
	clearStamp(stamp);
	try {
		await bundle(ROOT);
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		throw new StepFailed(`${reason}\nthe bundle: failed. ${BUILD_HINT}`);
	}
	writeStamp(stamp, digest);
}

function installedNode() {
	const node = inRoot(`node_modules/.bin/node${process.platform === "win32" ? ".cmd" : ""}`);
	if (existsSync(node)) return node;
	throw new StepFailed("Node 22 is not in node_modules: run `npm rebuild node --ignore-scripts=false` and run again.");
}
