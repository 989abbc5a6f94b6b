/**
 * Entries as a model reads them in order to sum them up: whole originals, whatever was folded since, without thinking.
 */

import { callsOf, isRecord, messageOf, stringOf, textOf } from "../content.ts";
import { redact, redactDeep } from "../redact.ts";

/** One entry, or nothing where it says nothing; with `redacts` without what looks like a secret. */
export function transcript(entry: unknown, redacts: boolean): string {
	// Arguments are looked at by their names, before they are written as JSON.
	return redacts ? redact(written(entry, redactDeep)) : written(entry, (value) => value);
}

function written(entry: unknown, clean: (value: unknown) => unknown): string {
	if (!isRecord(entry)) return "";
	if (entry.type === "branch_summary") return part("Summary of another branch", stringOf(entry.summary));
	if (entry.type === "custom_message") return part("Note", textOf(entry.content));
	const message = messageOf(entry);
	switch (message.role) {
		case "user":
			return part("User", textOf(message.content));
		case "assistant": {
			const calls = callsOf(message).map((call) =>
				part(`Call of ${stringOf(call.name)}`, JSON.stringify(clean(call.arguments)) ?? ""),
			);
			return part("Assistant", textOf(message.content)) + calls.join("");
		}
		case "toolResult":
			return part(
				`${message.isError === true ? "Error" : "Result"} of ${stringOf(message.toolName)}`,
				textOf(message.content),
			);
		case "bashExecution":
			if (message.excludeFromContext === true) return "";
			return part("Command of the user", `${stringOf(message.command)}\n${stringOf(message.output)}`);
		default:
			return "";
	}
}

function part(title: string, text: string): string {
	return text === "" ? "" : `[${title}]\n${text}\n\n`;
}

/** The pieces joined into as few texts as fit `most` units; a piece that is longer than that is divided. */
export function packed(pieces: readonly string[], most: number): string[] {
	const texts: string[] = [];
	let text = "";
	for (const piece of pieces) {
		if (text !== "" && text.length + piece.length > most) {
			texts.push(text);
			text = "";
		}
		text += piece;
		for (; text.length > most; text = text.slice(most)) texts.push(text.slice(0, most));
	}
	return text === "" ? texts : [...texts, text];
}
