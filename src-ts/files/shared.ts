/**
 * A small file of our own that several processes change: read whole, replaced in one step, under a lock that is a file
 * beside it and names its owner.
 */

import { copyFileSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";

/** Bits of a file's mode. */
const ANYBODY_WRITES = 0o222;

/** The text of a file, undefined where there is none. */
export function textOf(path: string): string | undefined {
	try {
		return readFileSync(path, "utf8");
	} catch (error) {
		if (codeOf(error) === "ENOENT") return undefined;
		throw error;
	}
}

/**
 * Replaces what a file holds by what `change` makes of it. False, with nothing done, where another process holds its lock;
 * nothing is waited for. With `backup` what it held stays beside it, as `.bak`.
 */
export function replace(
	file: string,
	change: (text: string | undefined) => string | undefined,
	backup: boolean,
): boolean {
	const lock = `${file}.lock`;
	if (!takeLock(lock)) {
		clearLock(lock);
		if (!takeLock(lock)) return false;
	}
	const temporary = `${file}.new`;
	try {
		const before = textOf(file);
		if (before !== undefined && (statSync(file).mode & ANYBODY_WRITES) === 0) throw new Error(`read-only: ${file}`);
		const after = change(before);
		if (after === undefined || after === before) return true;
		rmSync(temporary, { force: true });
		if (backup && before !== undefined) {
			copyFileSync(file, temporary);
			renameSync(temporary, `${file}.bak`);
		}
		writeFileSync(temporary, after, { mode: 0o600, flag: "wx" });
		renameSync(temporary, file);
		return true;
	} finally {
		rmSync(temporary, { force: true });
		rmSync(lock, { force: true });
	}
}

/** Milliseconds after which a lock counts as left behind where its owner is gone, and where nobody can tell. */
const LEFT_BEHIND = 5_000;
const FORGOTTEN = 3_600_000;

/** Creates a lock that names this process; false where there is one. Only its owner, or `clearLock`, takes it away. */
function takeLock(lock: string): boolean {
	try {
		writeFileSync(lock, String(process.pid), { mode: 0o600, flag: "wx" });
		return true;
	} catch (error) {
		if (codeOf(error) === "EEXIST") return false;
		throw error;
	}
}

/**
 * Takes away a lock that a process left behind when it was ended. Under a lock of its own, so that of many who see it one
 * does, after a second look: meanwhile another may have done so, and a third have taken the lock anew.
 */
function clearLock(lock: string): void {
	if (!isLeftBehind(lock)) return;
	const clearing = `${lock}.clearing`;
	if (!takeLock(clearing)) {
		if (ageOf(clearing) > FORGOTTEN) rmSync(clearing, { force: true });
		return;
	}
	try {
		if (isLeftBehind(lock)) rmSync(lock, { force: true });
	} finally {
		rmSync(clearing, { force: true });
	}
}

function isLeftBehind(lock: string): boolean {
	const age = ageOf(lock);
	return age > FORGOTTEN || (age > LEFT_BEHIND && !isRunning(Number(textOf(lock))));
}

function ageOf(path: string): number {
	const found = statSync(path, { throwIfNoEntry: false });
	return found ? Date.now() - found.mtimeMs : 0;
}

function isRunning(process_: number): boolean {
	if (!(process_ > 0)) return false;
	try {
		return process.kill(process_, 0);
	} catch (error) {
		// No right to signal it: then it is there.
		return codeOf(error) === "EPERM";
	}
}

function codeOf(error: unknown): string | undefined {
	return (error as NodeJS.ErrnoException).code;
}
