// One step of the set-up: a command that runs in the background of a progress line, with its output in a log file.
// It knows nothing of what the steps are for. A failure is a `StepFailed`, whose message is all that is shown.

import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync, writeSync } from "node:fs";
import { delimiter, join, relative } from "node:path";

/** How often a line says what is still running, in milliseconds. */
const HEARTBEAT_MS = 10_000;

/** How much of a step's newest line of output a progress line shows, in characters. */
const LATEST_LENGTH = 50;

/** How much of a failed step's output is shown, in lines. */
const TAIL_LINES = 25;

/** @type {Set<{ title: string, log: string, from: number }>} */
const running = new Set();

/** @type {ReturnType<typeof setInterval> | undefined} */
let heartbeat;

/** Says what failed and what to do about it. */
export class StepFailed extends Error {}

/** @param {string} line */
export function say(line) {
	// Standard output belongs to the script that runs afterwards.
	process.stderr.write(`${line}\n`);
}

/**
 * Runs a command and waits for its end.
 *
 * @param {object} step
 * @param {string} step.title what is being done, for the progress lines
 * @param {string[]} step.command the program and its arguments
 * @param {string} step.hint one line: what to do when it fails
 * @param {string} step.root the repository: the command's folder
 * @param {string} step.log the file that takes the output
 * @param {Record<string, string>} [step.env] variables beside those of this process
 */
export async function runStep({ title, command, hint, root, log, env }) {
	const [program, ...args] = command;
	if (program === undefined) throw new TypeError("a step needs a command");
	const step = { title, log, from: Date.now() };
	say(`  ${title} ...`);
	running.add(step);
	beat();
	try {
		const status = await output(program, args, root, log, env);
		if (status !== 0) {
			const lines = readLog(log).slice(-TAIL_LINES).join("\n");
			throw new StepFailed(`${lines}\n${title}: failed (whole output: ${relative(root, log)}). ${hint}`);
		}
	} finally {
		running.delete(step);
		beat();
	}
	say(`  ${title}: done, ${secondsSince(step.from)} s`);
}

/** Starts the progress lines with the first running step and ends them with the last. */
function beat() {
	if (running.size > 0) heartbeat ??= setInterval(report, HEARTBEAT_MS);
	else {
		clearInterval(heartbeat);
		heartbeat = undefined;
	}
}

function report() {
	const lines = [...running].map(({ title, log, from }) => `${title} ${secondsSince(from)} s${latest(log)}`);
	say(`  ... ${lines.join(", ")}`);
}

/** @param {number} from */
function secondsSince(from) {
	return Math.round((Date.now() - from) / 1000);
}

/**
 * @param {string} program
 * @param {string[]} args
 * @param {string} cwd
 * @param {string} log
 * @param {Record<string, string> | undefined} env
 * @returns {Promise<number | null>} the exit status, or null when the command could not start or a signal ended it
 */
function output(program, args, cwd, log, env) {
	mkdirSync(join(log, ".."), { recursive: true });
	const to = openSync(log, "w");
	const child = spawn(program, args, {
		cwd,
		env: { ...process.env, ...env },
		stdio: ["ignore", to, to],
		// npm is a .cmd file on Windows, which only the shell can start; the arguments are ours and need no quoting.
		shell: process.platform === "win32",
	});
	return new Promise((done) => {
		child.on("error", (error) => {
			writeSync(to, `${error.message}\n`);
			closeSync(to);
			done(null);
		});
		child.on("close", (code) => {
			closeSync(to);
			done(code);
		});
	});
}

/** @param {string} log */
function readLog(log) {
	const lines = readFileSync(log, "utf8").split("\n");
	return lines.filter((line) => line.trim() !== "");
}

/** @param {string} log */
function latest(log) {
	const last = readLog(log).at(-1)?.trim();
	return last === undefined ? "" : ` (${last.slice(0, LATEST_LENGTH)})`;
}

/**
 * Where a program is found on PATH, or undefined.
 *
 * @param {string} program
 * @param {(path: string) => boolean} exists
 */
export function findProgram(program, exists) {
	const suffixes = process.platform === "win32" ? [".exe", ".cmd"] : [""];
	const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
	return folders.flatMap((folder) => suffixes.map((suffix) => join(folder, program + suffix))).find(exists);
}
