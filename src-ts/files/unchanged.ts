/**
 * Whether a file still holds what Pi's `read` returned. Never reads what is no regular file, and answers "no" where it
 * cannot tell.
 */

import { constants } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

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

/** Lines and bytes at which Pi's `read` ends an output (`truncate.js` of Pi 1.6.0). */
const PI_MAX_LINES = 2000;
const PI_MAX_BYTES = 50 * 1024;

/** Bytes over which a file is judged by its times instead of its content. */
const LARGEST_READ = 2 * 1024 * 1024;

/** Milliseconds by which a file must be older than its result: the coarsest clock of a file system in use (FAT). */
const CLOCK_GRAIN = 2000;

/** What Pi's `read` writes behind an output that is not the rest of the file. */
const CONTINUATION =
	/^\n\n\[(?:Showing lines \d+-\d+ of \d+(?: \(\d+\.\dKB limit\))?\.|\d+ more lines in file\.) Use offset=\d+ to continue\.\]$/;

const UNICODE_SPACES = /[\u00A0\u2000-\u200A\u202F\u205F\u3000]/g;

/** Whether a `read` of the file at `path` returned now what it returned then. */
export async function isUnchanged(path: string, { check, original, seenAt }: SeenFile): Promise<boolean> {
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
export function resolveAsPi(path: string, cwd: string): string {
	let plain = path.replace(UNICODE_SPACES, " ");
	if (plain.startsWith("@")) plain = plain.slice(1);
	if (plain === "~") return homedir();
	if (plain.startsWith("~/")) return join(homedir(), plain.slice(2));
	if (plain.startsWith("file://")) plain = fileURLToPath(plain);
	return resolve(cwd, plain);
}
