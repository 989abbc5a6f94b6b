/** How each of Pi's modes is started: the command line and the environment. Starts nothing itself. */
import { join } from "node:path";
import { CLOCK_FILE, type Clock, MOVED_TIMERS } from "./clock.ts";
import { type Home, NODE, PI, PROVIDER, ROOT } from "./home.ts";
import { NETWORK_FILE } from "./network-preload.ts";

export interface LaunchOptions {
	/** Paths of extensions; empty is plain Pi. */
	extensions?: string[];
	/** Value of `--tools`. */
	tools?: string;
	/** Session file to open; `none`: in memory. */
	session?: string;
	model?: string;
	thinking?: string;
	env?: { [name: string]: string };
	/** Further arguments, in front of prompts. */
	args?: string[];
	/** Path of a file that gets each connection. */
	network?: string;
	/** The clock moves Pi's timers, too. */
	movedTimers?: boolean;
}

export interface Command {
	file: string;
	args: string[];
	cwd: string;
	env: { [name: string]: string };
}

export function command(home: Home, clock: Clock | undefined, mode: string[], options: LaunchOptions): Command {
	const { extensions = [], tools, session, model, thinking, env = {}, args = [], network, movedTimers } = options;
	const preload = (file: string) => ["--import", join(ROOT, "tests/host", file)];
	return {
		file: NODE,
		args: [
			"--no-warnings",
			...(clock ? preload("clock-preload.ts") : []),
			...(network ? preload("network-preload.ts") : []),
			PI,
			"--no-extensions",
			"--no-skills",
			"--no-context-files",
			...extensions.flatMap((extension) => ["-e", extension]),
			...(tools === undefined ? [] : ["--tools", tools]),
			...(session === "none" ? ["--no-session"] : ["--session-dir", home.sessions]),
			...(session === undefined || session === "none" ? [] : ["--session", session]),
			...(model === undefined ? [] : ["--model", `${PROVIDER}/${model}`]),
			...(thinking === undefined ? [] : ["--thinking", thinking]),
			...args,
			...mode,
		],
		cwd: home.project,
		env: home.env({
			...(clock ? { [CLOCK_FILE]: clock.file } : {}),
			...(network ? { [NETWORK_FILE]: network } : {}),
			...(movedTimers ? { [MOVED_TIMERS]: "1" } : {}),
			...env,
		}),
	};
}
