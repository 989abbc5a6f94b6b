/**
 * Code by its top-level declarations: lines at the left edge that begin as many languages begin one. What stands further
 * in belongs to something that is named already.
 */

import { linesOf, listed } from "./lines.ts";

const LIST_UNITS = 165;

/** Words in front of a declaration. */
const MODIFIERS =
	/^(?:(?:export|default|declare|abstract|async|public|private|protected|internal|static|final|sealed|partial|inline|unsafe|data|open|override|local|pub(?:\([^)]*\))?|extern(?: "[^"]*")?|const(?= fn\b)) )+/;
const DECLARATION =
	/^(fn|function\*?|func|fun|def|defp|defmodule|class|struct|enum|union|trait|interface|protocol|extension|impl|type|object|record|module|mod|namespace|macro_rules!)(?![\w*]) *(.*)$/;
/** What follows a declaration's name; prose that begins with such a word goes on otherwise. */
const BEHIND = /^\s*(?:$|[<({:=;]|(?:extends|implements|with|for|where|is|struct|interface|do)\b|[^.,!?]*\{\s*$)/;
/** A function of C and its kin, or of a shell: a head with its arguments, and a brace. */
const HEAD =
	/^(?:[A-Za-z_][\w:<>*&]* +)*[*&]*([A-Za-z_][\w:~.-]*) *\([^()"'`]*\)(?: *(?:const|noexcept|override))? *\{\s*$/;
const STATEMENT = /^(?:if|for|while|switch|catch|else|return|do|try|with|when|match|until|foreach|elif|unless)\b/;
/** A line number in front, as `cat -n` writes it. */
const NUMBERED = /^ *\d+\t/;

/** Whether a line begins a declaration. */
export function isDeclaration(line: string): boolean {
	return declarationIn(line) !== undefined;
}

/** As `class Plan`; undefined where the line begins none. */
function declarationIn(line: string): string | undefined {
	const numbered = line.charCodeAt(0) <= 57 ? line.replace(NUMBERED, "") : line;
	const code = numbered.charCodeAt(0) > 64 ? numbered.replace(MODIFIERS, "") : "";
	const found = DECLARATION.exec(code);
	if (!found) {
		const head = code !== "" && !STATEMENT.test(code) ? HEAD.exec(code) : undefined;
		return head ? `${head[1]}()` : undefined;
	}
	const [, word = "", rest = ""] = found;
	if (word === "impl")
		return rest === "" || !/[{;]|where\s*$/.test(rest) ? undefined : `impl ${upTo(rest, /\s*(?:\{|where\b)/)}`;
	// The receiver of a method in Go stands in front of its name.
	const named = /^(?:\(([^)]*)\) *)?([A-Za-z_$][\w$.:]*[!?]?)(.*)$/.exec(rest);
	if (!named || !BEHIND.test(named[3] ?? "")) return undefined;
	const receiver = named[1]
		?.trim()
		.split(/[\s*]+/)
		.at(-1);
	return `${word} ${receiver ? `${receiver}.` : ""}${named[2]!.replace(/[:.]$/, "")}`;
}

function upTo(text: string, end: RegExp): string {
	return text.split(end)[0]!.replace(/^<[^>]*> */, "");
}

/** Empty where there is none. */
export function codeLine(text: string): string {
	const all: string[] = [];
	const known = new Set<string>();
	for (const line of linesOf(text)) {
		const found = declarationIn(line);
		if (found === undefined || known.has(found)) continue;
		known.add(found);
		all.push(found);
	}
	return all.length === 0
		? ""
		: `code, ${all.length} ${all.length === 1 ? "declaration" : "declarations"}: ${listed(all, LIST_UNITS)}`;
}
