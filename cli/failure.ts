/**
 * What ends a command, or one file of it, with one line and no stack trace.
 */

/** A file or a request of the user that cannot be served: exit status 1. */
export class Failure extends Error {}

/** The command line makes no sense: exit status 2. */
export class Misuse extends Error {}

/** Why something failed, in a few words. Errors of the system are told without their code and path. */
export function reasonOf(error: unknown): string {
	const code = (error as { code?: unknown } | undefined)?.code;
	if (typeof code === "string" && Object.hasOwn(SYSTEM, code)) return SYSTEM[code as keyof typeof SYSTEM];
	return error instanceof Error ? error.message : String(error);
}

/** Names the file in what goes wrong with it. */
export function about<T>(path: string, use: () => T): T {
	try {
		return use();
	} catch (error) {
		throw new Failure(`${path}: ${reasonOf(error)}`);
	}
}

const SYSTEM = {
	ENOENT: "no such file or folder",
	EACCES: "no permission",
	EPERM: "no permission",
	EISDIR: "it is a folder",
	ENOTDIR: "a part of the path is no folder",
	ERR_FS_FILE_TOO_LARGE: "the file is too large to read",
	ENOSPC: "no space is left",
	EROFS: "the file system cannot be written",
} as const;
