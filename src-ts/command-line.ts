/**
 * Runs a command of the package's command line in a thread of its own, so that replaying a session holds up nothing of Pi's.
 *
 * The only file that starts a thread. A thread runs while the user waits for its answer, and stops when its signal says so.
 */

import { Worker } from "node:worker_threads";

/** In the sources the bundle stands in the package's folder, in the package beside Pi's bundle. */
const COMMAND_LINE = new URL(
	import.meta.url.endsWith("/command-line.ts") ? "../pkg-js/cli.cjs" : "cli.cjs",
	import.meta.url,
);

/** What every line that the command line says of itself begins with. */
const OWN_NAME = /^pi-zip: /gm;

/**
 * What the command wrote to standard output, or undefined where it was stopped. Throws with what it said where it failed;
 * what it said of lines that it could not read is no failure.
 */
export async function runCommandLine(args: readonly string[], signal: AbortSignal): Promise<string | undefined> {
	if (signal.aborted) return undefined;
	const worker = new Worker(COMMAND_LINE, { argv: [...args], stdout: true, stderr: true });
	const stop = () => void worker.terminate();
	signal.addEventListener("abort", stop, { once: true });
	const written = { stdout: "", stderr: "" };
	const ends = (["stdout", "stderr"] as const).map(
		(name) =>
			new Promise<void>((done) => {
				worker[name].setEncoding("utf8");
				worker[name].on("data", (text: string) => {
					written[name] += text;
				});
				worker[name].on("close", done);
			}),
	);
	try {
		await new Promise<void>((done, fail) => {
			worker.on("error", fail);
			worker.on("exit", () => done());
		});
		if (signal.aborted) return undefined;
		await Promise.all(ends);
	} finally {
		signal.removeEventListener("abort", stop);
	}
	return written.stdout !== "" ? written.stdout : fail(written.stderr);
}

function fail(said: string): never {
	throw new Error(said.replace(OWN_NAME, "").trim() || "the replay ended early");
}
