// The lab from a clone: `npm run lab` compares policies over the small session that lies in lab/, `npm run lab -- FOLDER`
// over others. In front of the files a task may stand: compare, compact, own, bill or validate. It builds and starts the program of
// the crate, in the folder where npm was called, and hands on its exit status. Plain JavaScript without a dependency: the
// lab needs Rust and nothing else.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { findProgram } from "./step.mjs";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** Made by this project; the default of every task that no other sessions are at hand for. */
const SMALL_SESSION = join(ROOT, "lab", "small-session.jsonl");

/** Recorded sessions beside the clone, on which the simulation is held against what providers reported. */
const RECORDED = join(ROOT, "..", "shared", "corpus");

const TASKS = ["compare", "compact", "own", "bill", "validate"];

const args = process.argv.slice(2);
const task = TASKS.find((name) => name === args[0]);
const named = task === undefined ? args : args.slice(1);
const usual = (task === "validate" || task === "bill") && existsSync(RECORDED) ? RECORDED : SMALL_SESSION;
const cargo = [
	"run",
	"--release",
	"--manifest-path",
	join(ROOT, "Cargo.toml"),
	"-p",
	"pi-zip-lab",
	"--bin",
	"lab",
	"--",
];

if (findProgram("cargo", existsSync) === undefined) {
	console.error("pi-zip: cargo is not found: install Rust's stable toolchain with rustup (see https://rustup.rs).");
	process.exit(1);
}
const child = spawn("cargo", [...cargo, task ?? "compare", ...(named.length > 0 ? named : [usual])], {
	cwd: process.env.INIT_CWD ?? process.cwd(),
	stdio: "inherit",
});
child.on("error", (error) => {
	console.error(`pi-zip: cargo could not be started: ${error.message}`);
	process.exitCode = 1;
});
child.on("exit", (code) => {
	process.exitCode = code ?? 1;
});
