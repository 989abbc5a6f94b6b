/**
 * All access to the disk: whether files still hold what Pi's `read` returned (`files/unchanged.ts`), and the few files of
 * our own (`files/shared.ts`).
 *
 * Checks never hold a request for long. Under a test signal everything outside one folder is refused, so that no test can
 * touch the user's own files. Nothing is decided here about folding.
 */

import { randomUUID } from "node:crypto";
import { appendFileSync, mkdirSync, readFileSync, realpathSync } from "node:fs";
import { open, rename, unlink } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, sep } from "node:path";
import { replace, textOf } from "./files/shared.ts";
import { isUnchanged, resolveAsPi, type SeenFile } from "./files/unchanged.ts";
import { Slices } from "./slices.ts";
import type { SharedFile } from "./survival.ts";

/** What a batch of checks may use. */
export interface Budget {
	/** Files. */
	files: number;
	/** Milliseconds from the call on. */
	time: number;
}

export const CHECKS_A_PLAN: Budget = { files: 50, time: 100 };

/** Units that are written at once. */
const WRITE_UNITS = 256 * 1024;

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
		return replace(file, change, backup);
	}

	/** Appends one line, and creates the file for its owner alone. */
	appendLine(path: string, line: string): void {
		this.#refuseOutside(path);
		appendFileSync(path, `${line}\n`, { mode: 0o600 });
	}

	/** Writes lines to a file for its owner alone, whole or not at all, in slices; how many they were. */
	async writeLines(path: string, lines: Iterable<string>): Promise<number> {
		this.#refuseOutside(path);
		// Others may write to the folder: a name that can be guessed could be a link that they have put there.
		const temporary = `${path}.${randomUUID()}.new`;
		let count = 0;
		const file = await open(temporary, "wx", 0o600);
		try {
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
		try {
			await rename(temporary, path);
		} catch (error) {
			await unlink(temporary).catch(() => {});
			throw error;
		}
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
			const slices = new Slices();
			for (const [index, file] of seen.slice(0, budget.files).entries()) {
				if (isOver()) return;
				const answer = await this.fileUnchanged(file, cwd).catch(() => false);
				if (isOver()) return;
				answers[index] = answer;
				if (slices.isOver) await slices.pause();
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
	async fileUnchanged(seen: SeenFile, cwd: string): Promise<boolean> {
		const path = resolveAsPi(seen.check.path, cwd);
		this.#refuseOutside(path);
		return isUnchanged(path, seen);
	}

	#refuseOutside(path: string): void {
		if (this.#testRoot === undefined) return;
		const inside = relative(this.#testRoot, realPath(path));
		if (inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside)) {
			throw new Error(`refused under test: ${path}`);
		}
	}
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
