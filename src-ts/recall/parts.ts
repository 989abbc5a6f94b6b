/**
 * What an entry of a session says, as texts that can be searched and recalled: an output, a message, each argument of a
 * call. Texts are the entry's own strings; nothing is read out of them and nothing is left out.
 *
 * The parts of an entry are numbered by their order, so a part is named by its entry's handle and its number, and the
 * name holds wherever the file goes. Session files come from many versions and hands: what has another shape than it
 * should is no part.
 */

import { blocksOf, isRecord, type Loose, stringOf, textOf } from "../content.ts";

export type Role = "user" | "assistant" | "call" | "tool" | "summary";

export interface Part {
	readonly role: Role;
	/** The tool of a result or a call; empty for the others. */
	readonly tool: string;
	/** Which part it is, where that does not follow from its role: `thinking`, or the path of an argument. */
	readonly label: string;
	readonly text: string;
}

/** Entries do not change once they are in a session. */
const known = new WeakMap<object, readonly Part[]>();

export function partsOf(entry: object): readonly Part[] {
	let parts = known.get(entry);
	if (parts === undefined) {
		parts = [...read(entry as Loose)];
		known.set(entry, parts);
	}
	return parts;
}

function* read(entry: Loose): Generator<Part> {
	switch (entry.type) {
		case "message":
			if (isRecord(entry.message)) yield* readMessage(entry.message);
			break;
		case "custom_message":
			yield part("user", textOf(entry.content), stringOf(entry.customType));
			break;
		case "compaction":
		case "branch_summary":
			yield part("summary", stringOf(entry.summary));
			break;
	}
}

function* readMessage(message: Loose): Generator<Part> {
	switch (message.role) {
		case "user":
			yield part("user", textOf(message.content));
			break;
		case "custom":
			yield part("user", textOf(message.content), stringOf(message.customType));
			break;
		case "toolResult":
			yield part("tool", textOf(message.content), "", stringOf(message.toolName));
			break;
		case "bashExecution":
			yield part("user", stringOf(message.command), "command");
			yield part("user", stringOf(message.output), "output of command");
			break;
		case "assistant":
			if (typeof message.content === "string") yield part("assistant", message.content);
			for (const block of blocksOf(message.content)) {
				if (block.type === "text") yield part("assistant", stringOf(block.text));
				else if (block.type === "thinking" && block.thinking) {
					yield part("assistant", stringOf(block.thinking), "thinking");
				} else if (block.type === "toolCall") yield* readCall(block);
			}
			break;
	}
}

/** Each argument that is text, and one part for those that are not, as JSON. */
function* readCall(call: Loose): Generator<Part> {
	const tool = stringOf(call.name);
	const others: string[] = [];
	for (const { path, value } of leaves(call.arguments, "", 0)) {
		if (typeof value === "string") yield part("call", value, path, tool);
		else others.push(`${path}: ${JSON.stringify(value)}`);
	}
	if (others.length > 0) yield part("call", others.join("\n"), "other arguments", tool);
}

/** Levels of an argument that are opened; a deeper one is a leaf. */
const DEEPEST = 8;

function* leaves(value: unknown, path: string, depth: number): Generator<{ path: string; value: unknown }> {
	if (typeof value !== "object" || value === null || depth === DEEPEST) {
		if (value !== undefined) yield { path, value };
		return;
	}
	for (const [name, inner] of Object.entries(value)) {
		yield* leaves(inner, path === "" ? name : `${path}.${name}`, depth + 1);
	}
}

function part(role: Role, text: string, label = "", tool = ""): Part {
	return { role, tool, label, text };
}
