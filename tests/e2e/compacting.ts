/** What the tests of compactions share: a session in a world with a settings file, and its compactions. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RpcPi } from "../host/rpc.ts";
import { type FileEntry, readEntries } from "../host/session-file.ts";
import type { Stage, StageOptions } from "../host/stage.ts";
import { conversation } from "../server/script.ts";
import { atWork, exchanges } from "./work.ts";

/** Tokens that Pi keeps of the newest messages, and that it leaves free: it compacts at 19,000 of a window of 35,000,
 * below the size from which on a warm request may be folded. */
export const SETTINGS = { compaction: { keepRecentTokens: 3000, reserveTokens: 16_000 } };
/** Requests of a task of two tool rounds. */
export const ROUNDS = 2;

/** The server tells a summary of its own from the session's requests, so most tests ask for one. */
export const UNCACHED = '{"summaries": "uncached"}';
export const CACHED = '{"summaries": "cached"}';

export interface Compaction extends FileEntry {
	summary?: string;
	fromHook?: boolean;
	usage?: unknown;
	details?: {
		by?: string;
		path?: string;
		reason?: string;
		failed?: number;
		ahead?: boolean;
		narrative?: [number, number];
	};
}

export async function compactions(pi: RpcPi): Promise<Compaction[]> {
	return readEntries(await pi.sessionFile()).filter(({ type }) => type === "compaction") as Compaction[];
}

export const summaryRequests = (stage: Stage) => stage.server.requests.filter(({ kind }) => kind === "summary");

/** With the settings file's content. */
export function work<T>(
	options: Partial<StageOptions>,
	body: (stage: Stage) => Promise<T>,
	file = UNCACHED,
): Promise<T> {
	return atWork({ settings: SETTINGS, script: conversation(exchanges(8, ROUNDS)), ...options }, (stage) => {
		writeFileSync(join(stage.home.agent, "pi-zip.json"), file);
		return body(stage);
	});
}
