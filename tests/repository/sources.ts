/** The repository's own files as its tests see them: what git tracks, and code without its comments. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "../..");

/** Tracked files and those that could be added, by their path from the root, in its order. */
export function files(fits: RegExp = /./): string[] {
	const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
	const listed = execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).split("\0");
	// A deleted file is listed until the deletion is staged.
	return listed.filter((file) => file !== "" && fits.test(file) && existsSync(join(ROOT, file))).sort();
}

export function read(file: string): string {
	return readFileSync(join(ROOT, file), "utf8");
}

/** The code without line comments and block comments; what looks like one in a string goes too. */
export function code(file: string): string {
	return read(file)
		.replace(/\/\*[\s\S]*?\*\//g, "")
		.replace(/(^|\s)\/\/.*$/gm, "");
}
