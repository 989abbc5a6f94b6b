/**
 * `pi-zip recall FILE HANDLE`: the original behind a handle, to standard output, without Pi.
 *
 * What the pager selects is cut from the original string and written as UTF-8. UTF-8 has no form for half a surrogate
 * pair: it is written as U+FFFD and said so; `--json` writes it as an escape, with nothing lost.
 */

import { basename } from "node:path";
import { handleOf, recallPage } from "../src-ts/core.ts";
import { Originals } from "../src-ts/recall/originals.ts";
import { readRequest } from "../src-ts/recall/request.ts";
import { SESSION_MARK } from "../src-ts/search/past.ts";
import { list, option, readArguments } from "./arguments.ts";
import { firstLine, readSession } from "./disk.ts";
import { about, Failure, Misuse } from "./failure.ts";
import { History } from "./history.ts";
import type { Output } from "./output.ts";
import { printable, printableJson, printableLines } from "./printable.ts";
import { sessionName } from "./search.ts";
import { findSessions, sessionFolders } from "./sessions.ts";

/** Units that one call of the module returns the spans of; a request for more is answered in several calls. */
const PAGE_UNITS = 0xffff_ffff;

export const RECALL_HELP = `usage: pi-zip recall FILE HANDLE [--grep REGEX] [--range LINES] [--json]
       pi-zip recall HANDLE@SESSION [--sessions FOLDER] [option ...]

Writes the original of a folded output to standard output, byte for byte. On a terminal, control characters are shown as
\ufffd; send the output to a file or a pipe to have them as they are.

  FILE           the session file
  HANDLE         as in the placeholder: "[folded by pi-zip … handle 0abc123def"
  HANDLE@SESSION as "pi-zip search" names a hit; --sessions FOLDER is where sessions are, beside Pi's own places
  --grep REGEX   only lines that match, case-insensitive
  --range LINES  only these lines: 120-240, 120-, -40 or 120
  --json         {"handle", "entryId", "tool", "what", "text"}, and "blocks" of the whole original where it is several
                 texts or holds images; the one form that keeps half a surrogate pair,
                 which UTF-8 cannot hold and which is written as U+FFFD otherwise

exit status: 0, 1 (no such file, handle or line), 2 (usage)
`;

export async function recall(args: readonly string[], output: Output): Promise<void> {
	const { values, positionals } = readArguments(args, {
		grep: "text",
		range: "text",
		json: "flag",
		session: "text",
		handle: "text",
		sessions: "list",
	});
	const session = option(values.session);
	const marked = positionals.length === 1 ? positionals[0]!.split(SESSION_MARK) : [];
	const named =
		session !== undefined
			? [fileOf(session, list(values.sessions)), option(values.handle)]
			: marked.length === 2
				? [fileOf(marked[1]!, list(values.sessions)), marked[0]]
				: positionals;
	const [file, handle, ...more] = named;
	if (file === undefined || handle === undefined || more.length > 0)
		throw new Misuse("recall takes FILE and HANDLE, or HANDLE@SESSION");
	const grep = option(values.grep);
	const request = readRequest({ handle, grep, range: option(values.range) });
	if ("refusal" in request) throw new Misuse(request.refusal);
	const history = about(file, () => new History(readSession(file)));
	const [name = handle] = request.handles;
	const original = await new Originals(handleOf).find(history, name);
	if (original.kind === "several" && values.json === true) {
		await output.write(`${printableJson({ handle: name, names: original.names })}\n`);
		return;
	}
	if (original.kind === "several") throw new Failure(`${name} has several parts: ${original.names.join(", ")}`);
	if (original.kind === "lost") throw new Failure(`the entry behind ${name} is no longer in the file`);
	if (original.kind === "unknown") {
		const nearest = original.nearest.length > 0 ? `; nearest: ${original.nearest.join(", ")}` : "";
		throw new Failure(`no output has the handle ${name}${nearest}`);
	}
	const selected = select(original.text, request);
	if (selected.literal) {
		output.note(`${printable(JSON.stringify(grep))} is no expression that the search takes: searched as plain text`);
	}
	if (selected.lines === 0 && original.text !== "") {
		throw new Failure(`no line of the ${selected.of} is selected`);
	}
	if (values.json === true) {
		const { entryId, toolName: tool, what, blocks } = original;
		const answer = { handle: name, entryId, tool, what, text: selected.text, ...(blocks && { blocks }) };
		await output.write(`${printableJson(answer)}\n`);
		return;
	}
	if (output.isTerminal) {
		await output.write(printableLines(selected.text));
		return;
	}
	if (!selected.text.isWellFormed()) {
		output.note("half a surrogate pair cannot be written as UTF-8: U+FFFD stands for it (--json keeps it)");
	}
	await output.write(selected.text);
}

/** The file of the session whose id ends in `name`. */
function fileOf(name: string, folders: readonly string[]): string {
	const files = findSessions([...folders, ...sessionFolders()], () => {});
	const found = files.find(({ path }) => sessionName(basename(path, ".jsonl")) === name);
	const other = found ?? files.find(({ path }) => sessionName(idOf(path)) === name);
	if (other === undefined) throw new Failure(`there is no session ${name}`);
	return other.path;
}

/** A file may be named otherwise than its session. */
function idOf(path: string): string {
	try {
		return String((JSON.parse(firstLine(path)) as { id?: unknown }).id);
	} catch {
		return "";
	}
}

function select(text: string, request: Exclude<ReturnType<typeof readRequest>, { refusal: string }>) {
	const { grep, range } = request;
	const parts: string[] = [];
	let offset = 0;
	for (;;) {
		const page = recallPage(text, {
			firstLine: range?.first,
			lastLine: range?.last,
			grep,
			offset,
			limit: PAGE_UNITS,
		});
		for (let at = 0; at < page.spans.length; at += 2) parts.push(text.slice(page.spans[at], page.spans[at + 1]));
		if (page.next === undefined || page.next <= offset) {
			return { text: parts.join(""), lines: page.selectedLines, of: page.textLines, literal: page.literal };
		}
		offset = page.next;
	}
}
