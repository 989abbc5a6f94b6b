/**
 * Arguments of a command: options by their long names, `-o` among them, and the rest in order.
 */

import { parseArgs } from "node:util";
import { Misuse } from "./failure.ts";

/** A `list` may be given several times. */
export type OptionKind = "text" | "flag" | "list";

export type Values = Record<string, string | boolean | (string | boolean)[] | undefined>;

/** Throws a `Misuse` that names what is not known. */
export function readArguments(
	args: readonly string[],
	kinds: Readonly<Record<string, OptionKind>>,
): { values: Values; positionals: string[] } {
	const options = Object.fromEntries(
		Object.entries(kinds).map(([name, kind]) => [
			name,
			{
				type: kind === "flag" ? ("boolean" as const) : ("string" as const),
				multiple: kind === "list",
				...(name === "output" ? { short: "o" } : {}),
			},
		]),
	);
	try {
		return parseArgs({ args: joined(args, kinds), options, allowPositionals: true, strict: true });
	} catch (error) {
		const [reason = ""] = error instanceof Error ? error.message.split(/\n|\. To specify/) : [];
		throw new Misuse(reason);
	}
}

/** `--range -40` as `--range=-40`: a value may begin with a dash. */
function joined(args: readonly string[], kinds: Readonly<Record<string, OptionKind>>): string[] {
	const all: string[] = [];
	for (let at = 0; at < args.length; at++) {
		const arg = args[at]!;
		if (arg === "--") return [...all, ...args.slice(at)];
		const kind = arg.startsWith("--") ? kinds[arg.slice(2)] : undefined;
		const value = args[at + 1];
		if (kind === undefined || kind === "flag" || value === undefined) all.push(arg);
		else {
			all.push(`${arg}=${value}`);
			at++;
		}
	}
	return all;
}

export function option(value: Values[string]): string | undefined {
	return typeof value === "string" ? value : undefined;
}

export function list(value: Values[string]): string[] {
	return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
