// Decides whether something that was built is still what its inputs give: a stamp is a digest of their contents.
// Contents and not times, since a checkout or a rebase touches files without changing them.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * The digest of files and of all that is in folders. A path that does not exist counts as such.
 *
 * @param {string} root
 * @param {string[]} inputs paths below `root`
 */
export function digestOf(root, inputs) {
	const hash = createHash("sha256");
	for (const file of inputs.flatMap((input) => filesBelow(root, input))) {
		const path = join(root, file);
		hash
			.update(`${file}\0`)
			.update(existsSync(path) ? readFileSync(path) : "missing")
			.update("\0");
	}
	return hash.digest("hex");
}

/**
 * @param {string} root
 * @param {string} path
 * @returns {string[]}
 */
function filesBelow(root, path) {
	const at = join(root, path);
	if (!existsSync(at) || !statSync(at).isDirectory()) return [path];
	const names = readdirSync(at).sort();
	return names.filter((name) => name !== "target").flatMap((name) => filesBelow(root, `${path}/${name}`));
}

/**
 * True if the stamp says that `outputs`, which must exist, were made from inputs of this digest.
 *
 * @param {string} stamp
 * @param {string} digest
 * @param {string[]} outputs
 */
export function isFresh(stamp, digest, outputs) {
	return existsSync(stamp) && readFileSync(stamp, "utf8") === digest && outputs.every((output) => existsSync(output));
}

/**
 * Removes the stamp, so that a build which is cut short is made again.
 *
 * @param {string} stamp
 */
export function clearStamp(stamp) {
	rmSync(stamp, { force: true });
}

/**
 * @param {string} stamp
 * @param {string} digest
 */
export function writeStamp(stamp, digest) {
	mkdirSync(dirname(stamp), { recursive: true });
	writeFileSync(stamp, digest);
}
