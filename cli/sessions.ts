/**
 * Where this user's sessions are: by Pi's own environment variables and settings.
 *
 * All places count together, since a user who moved the folder keeps what was written before.
 */

import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type FoundFile, isFolder, lookAt, readText, sessionsBelow } from "./disk.ts";
import { reasonOf } from "./failure.ts";

type Tell = (path: string, reason: string) => void;

/** Pi's folder in the home and in a project. */
const CONFIG_FOLDER = ".pi";

/** Where Pi keeps what is this user's. */
export function agentFolder(): string {
	const named = process.env.PI_CODING_AGENT_DIR;
	return named ? expand(named) : join(homedir(), CONFIG_FOLDER, "agent");
}

/** The folders in which Pi keeps this user's sessions, those that exist. */
export function sessionFolders(): string[] {
	const agent = agentFolder();
	const places = [
		process.env.PI_CODING_AGENT_SESSION_DIR,
		folderInSettings(join(process.cwd(), CONFIG_FOLDER, "settings.json")),
		folderInSettings(join(agent, "settings.json")),
		join(agent, "sessions"),
	];
	const folders = places.filter((place) => place !== undefined && place !== "").map((place) => resolve(expand(place!)));
	return [...new Set(folders)].filter(isFolder);
}

/** The session files that are named or in folders that are named, newest first. */
export function findSessions(paths: readonly string[], tell: Tell): FoundFile[] {
	const found = new Map<string, FoundFile>();
	const refused = (path: string, error: unknown) => tell(path, reasonOf(error));
	for (const path of paths) {
		try {
			const { isFolder, changed } = lookAt(path);
			const inside = isFolder ? sessionsBelow(path, refused) : [{ path, changed }];
			if (inside.length === 0) tell(path, "there is no session file in it");
			for (const file of inside) found.set(resolve(file.path), file);
		} catch (error) {
			refused(path, error);
		}
	}
	return [...found.values()].sort((one, other) => other.changed - one.changed);
}

/** Settings that cannot be read name no folder; Pi itself tells of them. */
function folderInSettings(path: string): string | undefined {
	try {
		const settings: unknown = JSON.parse(readText(path));
		const folder = (settings as { sessionDir?: unknown } | null)?.sessionDir;
		return typeof folder === "string" ? folder : undefined;
	} catch {
		return undefined;
	}
}

function expand(path: string): string {
	if (path === "~") return homedir();
	if (path.startsWith("~/") || path.startsWith("~\\")) return join(homedir(), path.slice(2));
	return path.startsWith("file://") ? fileURLToPath(path) : path;
}
