// Runs a TypeScript file of this repository after making sure that all it needs is there:
//   node scripts/with-setup.mjs [FILE.ts [arguments]]
// Without a file it only sets up and builds. Plain JavaScript without a dependency, since it runs before anything is
// installed, under whatever Node (20 or newer) the machine has. The file itself runs under the Node 22 of node_modules.

import { spawn } from "node:child_process";
import { constants } from "node:os";
import { delimiter, dirname, resolve } from "node:path";
import { setUp } from "./setup.mjs";
import { StepFailed } from "./step.mjs";

const OLDEST_NODE = 20;

if (Number(process.versions.node.split(".")[0]) < OLDEST_NODE) {
	console.error(
		`pi-zip: Node ${process.versions.node} is too old: install Node ${OLDEST_NODE} or newer and run again.`,
	);
	process.exit(1);
}

const [file, ...args] = process.argv.slice(2);
try {
	const { node } = await setUp();
	if (file !== undefined) process.exitCode = await run(node, resolve(file), args);
} catch (error) {
	if (!(error instanceof StepFailed)) throw error;
	console.error(error.message);
	process.exitCode = 1;
}

/**
 * Runs the file in the foreground and gives its exit status, 128 and the signal's number if a signal ended it.
 *
 * @param {string} node
 * @param {string} script
 * @param {string[]} scriptArgs
 * @returns {Promise<number>}
 */
function run(node, script, scriptArgs) {
	// Whatever the script starts by the name `node` is to be Node 22 as well: Pi refuses an older one.
	const PATH = dirname(node) + delimiter + (process.env.PATH ?? "");
	const flags = ["--disable-warning=ExperimentalWarning"];
	const child = spawn(node, [...flags, script, ...scriptArgs], {
		stdio: "inherit",
		env: { ...process.env, PATH },
	});
	for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM"])) process.on(signal, () => child.kill(signal));
	return new Promise((done, fail) => {
		child.on("error", fail);
		child.on("exit", (code, signal) => done(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
	});
}
