/**
 * All access to the disk: whether a file still holds what Pi's `read` returned, and the few files of our own.
 *
 * A check never blocks for long, never reads what is no regular file, and answers "no" where it cannot tell. Under a test
 * signal everything outside one folder is refused, so that no test can touch the user's own files. Nothing is decided
 * here about folding.
 */
import {
	appendFileSync,
	constants,
	copyFileSync,
	mkdirSync,
	readFileSync,
	realpathSync,
	renameSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { type FileHandle, open, rename, stat, unlink } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { SharedFile } from "./survival.ts";

/** What a `read` asked for: the path as the model wrote it, the first line (one-based), the number of lines. */
export interface FileCheck {
	path: string;
	offset?: number;
	limit?: number;
}

/** A check with what it is compared to. */
export interface SeenFile {
	check: FileCheck;
	/** Text that the tool returned, Pi's continuation notice included. */
	original: string;
	/** When the result was recorded, in milliseconds since the Unix epoch. */
	seenAt: number;
}

/** What a batch of checks may use. */
export interface Budget {
	/** Files. */
	files: number;
	/** Milliseconds from the call on. */
	time: number;
}

export const CHECKS_A_PLAN: Budget = { files: 50, time: 100 };

/** Lines and bytes at which Pi's `read` ends an output (`truncate.js` of Pi 1.6.0). */
const PI_MAX_LINES = 2000;
const PI_MAX_BYTES = 50 * 1024;

/** Bytes over which a file is judged by its times instead of its content. */
const LARGEST_READ = 2 * 1024 * 1024;

/** Milliseconds by which a file must be older than its result: the coarsest clock of a file system in use (FAT). */
const CLOCK_GRAIN = 2000;

/** Units that are written at once. */
const WRITE_UNITS = 256 * 1024;

/** Milliseconds of checks after which the event loop gets a turn. */
const TURN = 10;

/** What Pi's `read` writes behind an output that is not the rest of the file. */
const CONTINUATION =
	/^\n\n\[(?:Showing lines \d+-\d+ of \d+(?: \(\d+\.\dKB limit\))?\.|\d+ more lines in file\.) Use offset=\d+ to continue\.\]$/;

const UNICODE_SPACES = /[\u00A0\u2000-\u200A\u202F\u205F\u3000]/g;

/** A file that is part of the installed package. Never one of the user's, so not confined. */
export function readBytes(path: string): Uint8Array {
	return readFileSync(path);
}

/** The disk, as far as it may be touched: wholly, or below `testRoot` only. */
export class Disk {
	readonly #testRoot: string | undefined;

	constructor(testRoot?: string) {
		this.#testRoot = testRoot === undefined ? undefined : realpathSync(testRoot);
	}

	/** The text of a small file, named by the parts of its path; undefined where there is none. Throws where it cannot be read. */
	readText(...parts: readonly string[]): string | undefined {
		const path = join(...parts);
		this.#refuseOutside(path);
		return textOf(path);
	}

	/** A file that several processes change. Its path, in parts, is asked for at each use. */
	sharedFile(path: () => readonly string[]): SharedFile {
		return {
			read: () => this.readText(...path()),
			update: (change) => this.update(join(...path()), change),
		};
	}

	/**
	 * Changes a small file of our own in one step, however many processes do so at once: nobody reads half of it, and no
	 * change is lost. `change` gets what it holds, undefined where there is none, and returns what to write, undefined for
	 * nothing. False where another process is at it just now; nothing is waited for. Throws where the disk refuses. With
	 * `backup` what it held stays beside it, as `.bak`.
	 */
	update(
		path: string,
		change: (text: string | undefined) => string | undefined,
		{ backup = false }: { backup?: boolean } = {},
	): boolean {
		this.#refuseOutside(path);
		const file = realPath(path);
		mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
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

	/** Appends one line, and creates the file for its owner alone. */
	appendLine(path: string, line: string): void {
		this.#refuseOutside(path);
		appendFileSync(path, `${line}\n`, { mode: 0o600 });
	}

	/** Writes lines to a file for its owner alone, whole or not at all, in slices; how many they were. */
	async writeLines(path: string, lines: Iterable<string>): Promise<number> {
		this.#refuseOutside(path);
		const temporary = `${path}.${process.pid}.new`;
		let count = 0;
		const file = await open(temporary, "w", 0o600);
		try {
			// A file that a crash left behind may have had other rights.
			await file.chmod(0o600);
			let waiting = "";
			for (const line of lines) {
				count += 1;
				waiting += `${line}\n`;
				if (waiting.length < WRITE_UNITS) continue;
				// All of it, or an error: a write alone may end early on a full disk.
				await file.appendFile(waiting);
				waiting = "";
			}
			await file.appendFile(waiting);
		} catch (error) {
			await unlink(temporary).catch(() => {});
			throw error;
		} finally {
			await file.close();
		}
		await rename(temporary, path);
		return count;
	}

	/** For each file whether a `read` returned now what it returned then; what the budget does not reach counts as no. */
	async filesUnchanged(seen: readonly SeenFile[], cwd: string, budget: Budget = CHECKS_A_PLAN): Promise<boolean[]> {
		const answers = seen.map(() => false);
		const started = performance.now();
		const isOver = () => performance.now() - started >= budget.time;
		let expire: NodeJS.Timeout | undefined;
		// A file system that does not answer must not hold the request.
		const expired = new Promise<void>((settle) => {
			expire = setTimeout(settle, budget.time);
		});
		const checked = (async () => {
			let turn = started;
			for (const [index, file] of seen.slice(0, budget.files).entries()) {
				if (isOver()) return;
				const answer = await this.fileUnchanged(file, cwd).catch(() => false);
				if (isOver()) return;
				answers[index] = answer;
				if (performance.now() - turn >= TURN) {
					await new Promise((settle) => setImmediate(settle));
					turn = performance.now();
				}
			}
		})();
		try {
			await Promise.race([checked, expired]);
		} finally {
			clearTimeout(expire);
		}
		// A check that comes back late must not change an answer that was given.
		return [...answers];
	}

	/** Whether a `read` returned now what it returned then. Throws only where the disk is refused. */
	async fileUnchanged({ check, original, seenAt }: SeenFile, cwd: string): Promise<boolean> {
		const path = resolveAsPi(check.path, cwd);
		this.#refuseOutside(path);
		// Asked before opening: to open a pipe or a device may block or do something.
		if (!(await isRegular(path))) return false;
		let file: FileHandle | undefined;
		try {
			file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
			const opened = await file.stat();
			if (!opened.isFile()) return false;
			if (opened.size > LARGEST_READ) {
				const changedAt = Math.max(opened.mtimeMs, opened.ctimeMs);
				return opened.size >= Buffer.byteLength(original) && changedAt + CLOCK_GRAIN < seenAt;
			}
			return holds(await readUpTo(file, opened.size), check, original);
		} catch {
			return false;
		} finally {
			await file?.close();
		}
	}

	#refuseOutside(path: string): void {
		if (this.#testRoot === undefined) return;
		const inside = relative(this.#testRoot, realPath(path));
		if (inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside)) {
			throw new Error(`refused under test: ${path}`);
		}
	}
}

/** A text, undefined where there is no file. */
function textOf(path: string): string | undefined {
	try {
		return readFileSync(path, "utf8");
	} catch (error) {
		if (codeOf(error) === "ENOENT") return undefined;
		throw error;
	}
}

function codeOf(error: unknown): string | undefined {
	return (error as NodeJS.ErrnoException).code;
}

/** Bits of a file's mode. */
const ANYBODY_WRITES = 0o222;

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

/** Whether Pi's `read` makes of `bytes` what it returned then, its notice of what follows aside. */
function holds(bytes: Buffer, { offset, limit }: FileCheck, original: string): boolean {
	const lines = bytes.toString("utf8").split("\n");
	const start = offset ? Math.max(0, offset - 1) : 0;
	if (start >= lines.length) return false;
	const shown = shownByPi(lines.slice(start, limit === undefined ? undefined : start + limit));
	if (shown === undefined || !original.startsWith(shown)) return false;
	const behind = original.slice(shown.length);
	return behind === "" || CONTINUATION.test(behind);
}

/** What Pi's `read` shows of the selected lines; nothing where the first alone is too long. */
function shownByPi(lines: string[]): string | undefined {
	const count = lines.at(-1) === "" ? lines.length - 1 : lines.length;
	const whole = lines.join("\n");
	if (count <= PI_MAX_LINES && Buffer.byteLength(whole) <= PI_MAX_BYTES) return whole;
	let bytes = 0;
	let taken = 0;
	while (taken < Math.min(count, PI_MAX_LINES)) {
		bytes += Buffer.byteLength(lines[taken]!) + (taken > 0 ? 1 : 0);
		if (bytes > PI_MAX_BYTES) break;
		taken++;
	}
	return taken === 0 ? undefined : lines.slice(0, taken).join("\n");
}

async function isRegular(path: string): Promise<boolean> {
	try {
		return (await stat(path)).isFile();
	} catch {
		return false;
	}
}

/** The first `size` bytes: what the file held when it was opened, however it grows. */
async function readUpTo(file: FileHandle, size: number): Promise<Buffer> {
	const bytes = Buffer.alloc(size);
	let length = 0;
	while (length < size) {
		const { bytesRead } = await file.read(bytes, length, size - length, length);
		if (bytesRead === 0) break;
		length += bytesRead;
	}
	return bytes.subarray(0, length);
}

/** The path that Pi's `read` opens, without its second guesses at names that macOS writes differently. */
function resolveAsPi(path: string, cwd: string): string {
	let plain = path.replace(UNICODE_SPACES, " ");
	if (plain.startsWith("@")) plain = plain.slice(1);
	if (plain === "~") return homedir();
	if (plain.startsWith("~/")) return join(homedir(), plain.slice(2));
	if (plain.startsWith("file://")) plain = fileURLToPath(plain);
	return resolve(cwd, plain);
}

/** Where a path leads, symbolic links followed; for one that does not exist, by its nearest folder that does. */
function realPath(path: string): string {
	try {
		return realpathSync(path);
	} catch {
		const parent = dirname(path);
		return parent === path ? path : join(realPath(parent), basename(path));
	}
}
