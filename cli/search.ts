/**
 * `pi-zip search`: finds text in past sessions, the newest first, without Pi.
 *
 * One file is in memory at a time, and of each only its best hits are kept. A file in which nothing can match is not
 * parsed; of a session of another project only the first line is read.
 */

import { basename, resolve } from "node:path";
import { handleOf, Pattern } from "../src-ts/core.ts";
import { redactNamed } from "../src-ts/redact.ts";
import { type Naming, shownHit } from "../src-ts/search/answer.ts";
import { documents, type SearchedSession } from "../src-ts/search/documents.ts";
import {
	MOST_PAST_HITS,
	type PastFound,
	type PastHit,
	SESSION_MARK,
	SESSION_NAME_LENGTH,
} from "../src-ts/search/past.ts";
import { prefilter, readQuery, type Term } from "../src-ts/search/query.ts";
import { statisticsOf } from "../src-ts/search/rank.ts";
import { readSearch, type SearchRequest } from "../src-ts/search/request.ts";
import { type LinePattern, scan } from "../src-ts/search/scan.ts";
import { list, option, readArguments } from "./arguments.ts";
import { firstLine, isSameFile, readSession } from "./disk.ts";
import { Misuse, reasonOf } from "./failure.ts";
import { History } from "./history.ts";
import type { Output } from "./output.ts";
import { printableJson, printableLines } from "./printable.ts";
import { findSessions, sessionFolders } from "./sessions.ts";

export const SEARCH_HELP = `usage: pi-zip search WORDS ... [option ...]

Finds text in the sessions that Pi has written: outputs, messages and the arguments of calls. The best hits come first.

  WORDS               words and "phrases"
  --pattern REGEX     lines that match, newest session first, instead of words; --case-sensitive minds case
  --tool NAME         only this tool's outputs and calls
  --path TEXT         only calls whose path or command holds this, and their outputs
  --role ROLE         only user, assistant, call, tool or summary
  --limit N           hits; default 20
  --project FOLDER    only sessions of this folder
  --sessions FOLDER   where sessions are, beside Pi's own places; may be given several times
  --time MS           stop after so long; default 10000
  --no-redact         show what looks like a secret
  --json              {"hits": [{"score", "session", "text"}], "total", "searched", "sessions"}; of sessions 0 is the newest

exit status: 0, 1 (nothing found; 0 with --json), 2 (usage)
`;

const OPTIONS = {
	pattern: "text",
	"case-sensitive": "flag",
	tool: "text",
	path: "text",
	role: "text",
	limit: "text",
	project: "text",
	sessions: "list",
	except: "text",
	time: "text",
	request: "text",
	part: "text",
	"no-redact": "flag",
	json: "flag",
} as const;

/** UTF-16 units of a text that is not cleaned twice. */
const LONG = 4_096;
/** Milliseconds, where nothing is said: a person waits. */
const TIME = 10_000;

export async function search(args: readonly string[], output: Output): Promise<boolean> {
	const { values, positionals } = readArguments(args, OPTIONS);
	const request = readSearch(
		{
			query: positionals.join(" "),
			pattern: option(values.pattern),
			case_sensitive: values["case-sensitive"],
			tool: option(values.tool),
			path: option(values.path),
			role: option(values.role),
			limit: option(values.limit),
			...(JSON.parse(option(values.request) ?? "{}") as object),
			where: "removed",
		},
		MOST_PAST_HITS,
	);
	if ("refusal" in request) throw new Misuse(request.refusal);
	const until = performance.now() + (Number(option(values.time)) || TIME);
	const [except, project] = [option(values.except), option(values.project)];
	const named = list(values.sessions);
	const found = findSessions([...named, ...sessionFolders()], (path, reason) => {
		// Of Pi's own places some are not there.
		if (named.includes(path)) output.note(`${path}: ${reason}`);
	});
	const files = found.filter(({ path }) => except === undefined || !isSameFile(path, except));
	const [part = 0, parts = 1] = (option(values.part) ?? "0/1").split("/").map(Number);
	const clean = values["no-redact"] === true ? (text: string) => text : remembering(redactNamed);
	const answer = await searchFiles(
		files.map(({ path }) => path),
		request,
		{ until, project: project === undefined ? undefined : resolve(project), clean, part, parts },
		(path, error) => output.note(`${path}: ${reasonOf(error)}`),
	);
	if (values.json === true) await output.write(`${printableJson(answer)}\n`);
	else {
		for (const { text } of answer.hits) await output.write(`${printableLines(text)}\n`);
		const { hits, total, searched, sessions } = answer;
		output.note(`${hits.length} of ${total} shown; ${searched} of ${sessions} sessions searched`);
	}
	return answer.total === 0 && values.json !== true;
}

/** Knows its newest answer about a long text again: hits of one text come one after the other. */
function remembering(clean: (name: string, text: string) => string): (text: string, name?: string) => string {
	let [known, under, answer] = ["", "", ""];
	return (text, name = "") => {
		if (text.length < LONG) return clean(name, text);
		if (text !== known || name !== under) [known, under, answer] = [text, name, clean(name, text)];
		return answer;
	};
}

interface How {
	/** On the clock of `performance.now()`. */
	until: number;
	project: string | undefined;
	clean(text: string, name?: string): string;
	/** Which of so many equal shares of the files is searched: every `parts`-th of them, so that none has the newest alone. */
	part: number;
	parts: number;
}

async function searchFiles(
	files: readonly string[],
	request: SearchRequest,
	how: How,
	refused: (path: string, error: unknown) => void,
): Promise<PastFound> {
	const statistics = statisticsOf(readQuery(request.query ?? ""));
	const mayHold = rawFilter(request);
	let [hits, total, searched, sessions]: [PastHit[], number, number, number] = [[], 0, 0, 0];
	for (let place = how.part; place < files.length; place += how.parts) {
		const path = files[place]!;
		if (performance.now() > how.until) {
			sessions += 1;
			continue;
		}
		try {
			if (how.project !== undefined && headerOf(firstLine(path)).cwd !== how.project) continue;
			sessions += 1;
			searched += 1;
			const bytes = readSession(path);
			if (!mayHold(bytes)) continue;
			const history = new History(bytes);
			const session = searchable(history);
			const found = await scan(documents(session, request), request, {
				pattern: (pattern, isCased) => new Pattern(pattern, isCased),
				now: () => performance.now(),
				pause: async () => {},
				statistics,
				least: hits.length < request.limit ? undefined : hits.at(-1)?.score,
			});
			total += found.total;
			const named = { ...naming(history, path), clean: how.clean };
			const merged = [...hits, ...found.hits].sort((one, other) => other.score - one.score).slice(0, request.limit);
			// Drawn while their session is at hand, and only where they count.
			hits = merged.map((hit) =>
				"text" in hit ? hit : { score: hit.score, session: place, text: how.clean(shownHit(hit, named)) },
			);
		} catch (error) {
			refused(path, error);
		}
	}
	return { hits, total, searched, sessions };
}

/** Bytes that are looked at as one string, and those that two neighbours share: no term is longer. */
const PIECE = 128 * 1024;
const SHARED = 4 * 1024;

/** Whether the bytes of a file may hold a match: in JSON, text without escapes stands as it is. */
function rawFilter({ query, pattern, caseSensitive }: SearchRequest): (bytes: Uint8Array) => boolean {
	const isPlain = (text: string) => text.length < SHARED / 2 && /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/.test(text);
	if (query !== undefined) {
		const terms = readQuery(query);
		const isName = ({ kind, text }: Term) => kind === "name" && text.length < SHARED / 2;
		const filter = terms.every((term) => isName(term) || isPlain(term.text)) ? prefilter(terms) : undefined;
		return (bytes) => !filter || somePiece(bytes, (piece) => filter.test(piece));
	}
	const one: LinePattern = new Pattern(pattern ?? "", caseSensitive);
	const { literal } = one;
	one.free();
	return (bytes) => !isPlain(literal) || somePiece(bytes, (piece) => piece.toLowerCase().includes(literal));
}

/** One unit a byte: ASCII is what it was, and nothing else is looked for. In pieces, since most files hold a match early. */
function somePiece(bytes: Uint8Array, holds: (piece: string) => boolean): boolean {
	const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	for (let start = 0; start < buffer.length; start += PIECE) {
		if (holds(buffer.toString("latin1", start, start + PIECE + SHARED))) return true;
	}
	return false;
}

function headerOf(line: string): { cwd?: unknown } {
	try {
		return JSON.parse(line) as { cwd?: unknown };
	} catch {
		return {};
	}
}

function searchable(history: History): SearchedSession {
	const branch = history.branch();
	return {
		getEntries: () => history.getEntries(),
		getBranch: () => branch,
		buildSessionProjection: () => ({ entries: [] }),
	};
}

/** A session as its hits are labelled: the end of its id, its date and its folder. */
function naming(history: History, path: string): Naming {
	const { id, timestamp, cwd } = history.header;
	const name = sessionName(typeof id === "string" ? id : basename(path, ".jsonl"));
	const date = typeof timestamp === "string" ? timestamp.slice(0, 10) : "no date";
	const folder = typeof cwd === "string" ? cwd : "no folder";
	return {
		session: history,
		handleOf,
		suffix: `${SESSION_MARK}${name}`,
		placeOf: ({ turn, isLeft }) => [
			`session of ${date} in ${folder}`,
			`turn ${turn}`,
			...(isLeft ? ["left branch"] : []),
		],
	};
}

export function sessionName(id: string): string {
	return id
		.toLowerCase()
		.replace(/[^0-9a-z]/g, "")
		.slice(-SESSION_NAME_LENGTH);
}
