/**
 * Access of the command line to the disk: it reads session files and writes one page.
 */

import { randomBytes } from "node:crypto";
import {
	closeSync,
	openSync,
	readdirSync,
	readFileSync,
	readSync,
	realpathSync,
	renameSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { Failure } from "./failure.ts";

/** For the owner alone: the files hold what the session holds. */
const PRIVATE = 0o600;

export interface FoundFile {
	path: string;
	/** Milliseconds since the epoch. */
	changed: number;
}

export function readSession(path: string): Uint8Array {
	// To open a pipe or a device may wait for ever.
	const found = statSync(path);
	if (!found.isFile()) throw new Failure(found.isDirectory() ? "it is a folder" : "it is no regular file");
	return readFileSync(path);
}

/** Bytes of a first line that are read; a header is far below it. */
const FIRST_LINE_BYTES = 16 * 1024;

/** The first line of a file, without reading the rest. */
export function firstLine(path: string): string {
	if (!statSync(path).isFile()) throw new Failure("it is no regular file");
	const file = openSync(path, "r");
	try {
		const bytes = Buffer.alloc(FIRST_LINE_BYTES);
		const length = readSync(file, bytes, 0, bytes.length, 0);
		const [line = ""] = bytes.toString("utf8", 0, length).split("\n", 1);
		return line;
	} finally {
		closeSync(file);
	}
}

export function readText(path: string): string {
	return readFileSync(path, "utf8");
}

/** When a file was last changed, and whether the path leads to a folder. Throws where there is nothing. */
export function lookAt(path: string): { isFolder: boolean; changed: number } {
	const found = statSync(path);
	return { isFolder: found.isDirectory(), changed: found.mtimeMs };
}

/** Session files in a folder and those below it, the newest first. What cannot be listed is handed to `refused`. */
export function sessionsBelow(folder: string, refused: (path: string, error: unknown) => void): FoundFile[] {
	const found: FoundFile[] = [];
	const seen = new Set<string>();
	const pending = [folder];
	for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
		try {
			const real = realpathSync(at);
			// A link may lead back up.
			if (seen.has(real)) continue;
			seen.add(real);
			for (const entry of readdirSync(at, { withFileTypes: true })) {
				const path = join(at, entry.name);
				try {
					if (entry.isDirectory() || (entry.isSymbolicLink() && isFolder(path))) pending.push(path);
					else if (entry.name.endsWith(".jsonl")) found.push({ path, changed: statSync(path).mtimeMs });
				} catch (error) {
					// One dead link says nothing about its neighbours.
					refused(path, error);
				}
			}
		} catch (error) {
			refused(at, error);
		}
	}
	return found.sort((one, other) => other.changed - one.changed || (one.path < other.path ? 1 : -1));
}

export function isFolder(path: string): boolean {
	return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Whether two paths lead to one file. */
export function isSameFile(one: string, other: string): boolean {
	try {
		return realpathSync(one) === realpathSync(other);
	} catch {
		return resolve(one) === resolve(other);
	}
}

/** Writes a file for its owner alone, whole or not at all, whatever stood there before. */
export function writePrivate(path: string, text: string): void {
	const there = statSync(path, { throwIfNoEntry: false });
	if (there && !there.isFile()) throw new Failure(there.isDirectory() ? "it is a folder" : "it is no regular file");
	// A link stays one: what it leads to is written.
	const file = there ? realpathSync(path) : path;
	const mark = randomBytes(4).toString("hex");
	const temporary = join(dirname(file), `.pi-zip-${mark}.new`);
	try {
		writeFileSync(temporary, text, { mode: PRIVATE, flag: "wx" });
		renameSync(temporary, file);
	} catch (error) {
		rmSync(temporary, { force: true });
		throw error;
	}
}

/** The version of this package: its manifest lies one folder up, of the sources as of the bundle. */
export function packageVersion(): string {
	const manifest: { version: string } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
	return manifest.version;
}
