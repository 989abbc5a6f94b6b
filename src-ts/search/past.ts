/**
 * Past sessions, searched and recalled by the command line in threads of their own: each reads one file at a time, so
 * neither Pi's event loop nor its heap takes part.
 *
 * Nothing of a past session reaches the model unless the model asks for it by `where` or by a handle that names it.
 */

import { availableParallelism } from "node:os";
import { runCommandLine } from "../command-line.ts";
import type { ExtensionContext } from "../host.ts";
import type { Original } from "../recall/answer.ts";
import type { Blocks } from "../recall/blocks.ts";
import { redact, redactions, redactNamed } from "../redact.ts";
import { type SearchRequest, searchArguments } from "./request.ts";
import { Stopped } from "./scan.ts";

/** What the command line answers to a search. */
export interface PastFound {
	readonly hits: readonly PastHit[];
	readonly total: number;
	/** Sessions that were looked at, and those there are. */
	readonly searched: number;
	readonly sessions: number;
}

export interface PastHit {
	readonly score: number;
	/** The place of its session among all, the newest first. */
	readonly session: number;
	/** As it is shown. */
	readonly text: string;
}

/** What stands between a handle and the session that it is of. */
export const SESSION_MARK = "@";
/** Last characters of a session's id that name it. */
export const SESSION_NAME_LENGTH = 8;

/** What the tool of an argument of a call begins with; the argument's path stands beside it. */
const CALL_OF = "call of ";
/** Milliseconds that a search of past sessions takes at most. */
const TIME = 1_500;
/** Hits of past sessions that can be paged through: more says that the search is too wide. */
export const MOST_PAST_HITS = 1_000;
/** Threads that share the sessions of a search at most: each holds a session in memory. */
const MOST_THREADS = 4;

type Session = ExtensionContext["sessionManager"];

export class Past {
	readonly #run: typeof runCommandLine;
	readonly #isRedacted: () => boolean;
	readonly #threads: number;
	#session = new AbortController();

	constructor(
		isRedacted: () => boolean,
		run = runCommandLine,
		threads = Math.min(MOST_THREADS, availableParallelism()),
	) {
		this.#isRedacted = isRedacted;
		this.#run = run;
		this.#threads = threads;
	}

	/** Stops what is under way at the end of a session. */
	close(): void {
		this.#session.abort();
		this.#session = new AbortController();
	}

	/** The hits up to the end of the page that is asked for; undefined where it was stopped. */
	async search(
		request: SearchRequest,
		ctx: Pick<ExtensionContext, "cwd"> & { sessionManager: Session },
		signal: AbortSignal | undefined,
	): Promise<PastFound | undefined> {
		const { limit, offset, where } = request;
		const own = ctx.sessionManager.getSessionFile();
		const wanted = Math.min(limit + offset, MOST_PAST_HITS);
		const asked = JSON.stringify(searchArguments({ ...request, offset: 0, limit: wanted }));
		const args = ["search", "--json", "--request", asked, "--time", String(TIME)];
		if (own !== undefined) args.push("--except", own);
		if (where === "project") args.push("--project", ctx.cwd);
		if (!this.#isRedacted()) args.push("--no-redact");
		args.push(...foldersOf(ctx.sessionManager));
		const ended = this.#signal(signal);
		const parts = Array.from({ length: this.#threads }, (_, part) => `${part}/${this.#threads}`);
		const answers = await Promise.all(parts.map((part) => this.#run([...args, "--part", part], ended)));
		return merged(answers, wanted);
	}

	/** The original that a handle with a session's name leads to, redacted unless the setting is off. */
	async recall(name: string, sessionManager: Session, signal: AbortSignal | undefined): Promise<Original> {
		const [handle = "", session = ""] = name.split(SESSION_MARK);
		let answer: string | undefined;
		try {
			const args = ["recall", "--json", "--session", session, "--handle", handle, ...foldersOf(sessionManager)];
			answer = await this.#run(args, this.#signal(signal));
		} catch (error) {
			return { kind: "unknown", nearest: [], reason: error instanceof Error ? error.message : String(error) };
		}
		if (answer === undefined) throw new Stopped("stopped");
		const { entryId, tool, what, text, names, blocks } = JSON.parse(answer) as Recalled;
		if (names) return { kind: "several", names: names.map((one) => `${one}${SESSION_MARK}${session}`) };
		const clean = this.#isRedacted() ? redact : (whole: string) => whole;
		const shown = this.#isRedacted() && tool.startsWith(CALL_OF) ? redactNamed(what, text) : clean(text);
		const taken = redactions(text, shown);
		const note = taken > 0 ? `${taken} secrets were taken out of it: ${lines(text, shown)}` : undefined;
		return {
			kind: "found",
			entryId,
			toolName: tool,
			what: `${clean(what)} (session ${session})`,
			text: shown,
			note,
			...(blocks && { blocks: placed(blocks, shown, text) }),
		};
	}

	#signal(signal: AbortSignal | undefined): AbortSignal {
		return signal ? AbortSignal.any([signal, this.#session.signal]) : this.#session.signal;
	}
}

/** What the threads found, as if one had. */
function merged(answers: readonly (string | undefined)[], limit: number): PastFound | undefined {
	if (answers.includes(undefined)) return undefined;
	const found = answers.map((answer) => JSON.parse(answer!) as PastFound);
	const sum = (of: (one: PastFound) => number) => found.reduce((total, one) => total + of(one), 0);
	const hits = found
		.flatMap((one) => one.hits)
		.sort((one, other) => other.score - one.score || one.session - other.session);
	return {
		hits: hits.slice(0, limit),
		total: sum(({ total }) => total),
		searched: sum(({ searched }) => searched),
		sessions: sum(({ sessions }) => sessions),
	};
}

interface Recalled {
	entryId: string;
	tool: string;
	what: string;
	text: string;
	blocks?: Blocks;
	/** Where the handle leads to several parts. */
	names?: string[];
}

/** Where something was taken out, nothing stands at its place any more: one text, and its images behind it. */
function placed(blocks: Blocks, shown: string, text: string): Blocks {
	if (shown === text) return blocks;
	return { ends: [shown.length], images: blocks.images.map(({ image }) => ({ at: shown.length, image })) };
}

/** The folder that Pi writes this session to; the command line knows the others. */
function foldersOf(session: Session): string[] {
	const folder = session.getSessionDir();
	return folder === "" ? [] : ["--sessions", folder];
}

/** Lines named before they are cut short. */
const LINES_NAMED = 12;

/** Numbers of the lines of `after` in which something was taken out. */
function lines(before: string, after: string): string {
	const old = before.split("\n");
	const numbers = after.split("\n").flatMap((line, index) => (line === old[index] ? [] : [index + 1]));
	return `in lines ${numbers.slice(0, LINES_NAMED).join(", ")}${numbers.length > LINES_NAMED ? " …" : ""}`;
}
