/**
 * Session files written line by line, so that they may hold what Pi itself would not write, and opened by Pi's own
 * session manager. Each entry has the id that the test gives it and hangs on the one before it.
 */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SessionManager } from "@earendil-works/pi-coding-agent";
import { API, PROVIDER } from "../world/model.ts";

const folder = mkdtempSync(join(tmpdir(), "pi-zip-kinds-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

/** Some days before the tests' clock begins, in milliseconds since the epoch. */
const START = Date.UTC(2026, 4, 20, 9);
/** Milliseconds between two entries. */
const STEP = 2_000;
/** As many as make the output of the turn before old enough for a fold. */
const GLANCES = 4;

type Fields = Record<string, unknown>;
type Call = string | { readonly id: string; readonly name: string; readonly arguments: Fields };

/** An output that is worth a fold, of lines that no other output has. */
export function output(name: string, lines = 150): string {
	return Array.from({ length: lines }, (_, line) => `${name}: line ${line} of what was found\n`).join("");
}

export function text(value: string): Fields[] {
	return [{ type: "text", text: value }];
}

export class SessionFile {
	/** When the newest entry was written, in milliseconds since the epoch. */
	at = START;
	/** The entry that the next one hangs on. */
	leaf: string | null = null;
	readonly path: string;
	readonly #lines: string[] = [];

	constructor(name: string) {
		this.path = join(folder, `${name.replaceAll(/\W+/g, "-")}.jsonl`);
		const timestamp = new Date(START).toISOString();
		this.line(JSON.stringify({ type: "session", version: 3, id: "kinds", timestamp, cwd: folder }));
	}

	/** A line as it is, whole or not. */
	line(line: string): this {
		this.#lines.push(line);
		return this;
	}

	entry(id: string, fields: Fields): this {
		this.at += STEP;
		const timestamp = new Date(this.at).toISOString();
		this.line(JSON.stringify({ id, parentId: this.leaf, timestamp, ...fields }));
		this.leaf = id;
		return this;
	}

	message(id: string, message: Fields): this {
		return this.entry(id, { type: "message", message: { timestamp: this.at + STEP, ...message } });
	}

	asks(id: string): this {
		return this.message(id, { role: "user", content: text(`Prompt ${id}`) });
	}

	answers(id: string, fields: Fields = {}): this {
		return this.message(id, {
			role: "assistant",
			content: text(`Answer ${id}`),
			api: API,
			provider: PROVIDER,
			model: "one",
			usage: usage(0),
			stopReason: "stop",
			...fields,
		});
	}

	calls(id: string, calls: readonly Call[], fields: Fields = {}): this {
		const content = calls.map((call) =>
			typeof call === "string"
				? { type: "toolCall", id: call, name: "bash", arguments: { command: "npm test" } }
				: { type: "toolCall", ...call },
		);
		return this.answers(id, { content, stopReason: "toolUse", ...fields });
	}

	returns(id: string, callId: string, content: unknown = text(output(id)), fields: Fields = {}): this {
		return this.message(id, {
			role: "toolResult",
			toolCallId: callId,
			toolName: "bash",
			content,
			isError: false,
			...fields,
		});
	}

	/** A turn whose first call's result is `r` and the name. It has a few more, so that what stands before it grows old. */
	turn(name: string, content?: unknown): this {
		this.asks(`u${name}`)
			.calls(`a${name}`, [`c${name}`])
			.returns(`r${name}`, `c${name}`, content);
		return this.glances(name).answers(`z${name}`);
	}

	/** Calls whose outputs are too small to fold. */
	glances(name: string, fields: Fields = {}): this {
		for (let glance = 1; glance <= GLANCES; glance += 1) {
			const id = `${name}-${glance}`;
			this.calls(`ag${id}`, [{ id: `g${id}`, name: "bash", arguments: { command: `ls ${id}` } }], fields);
			this.returns(`rg${id}`, `g${id}`, text("src"));
		}
		return this;
	}

	edits(id: string, targetId: string, content: unknown): this {
		return this.entry(id, { type: "context_edit", targetId, replacement: content === null ? null : { content } });
	}

	compacts(id: string, firstKeptEntryId: string | null): this {
		return this.entry(id, { type: "compaction", summary: `Summary ${id}`, firstKeptEntryId, tokensBefore: 1 });
	}

	/** Writes the file and opens it. */
	open(): SessionManager {
		writeFileSync(this.path, `${this.#lines.join("\n")}\n`);
		return SessionManager.open(this.path);
	}
}

/** A report of a request that carried so many tokens; none, where it reports nothing. */
export function usage(tokens: number): Fields {
	const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
	return { input: tokens, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: tokens, cost };
}
