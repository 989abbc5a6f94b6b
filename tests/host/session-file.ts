/** Reads a session file as plain data: entries, the texts of tool results, context edits. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface ContentBlock {
	type: string;
	text?: string;
	id?: string;
	name?: string;
	arguments?: { [name: string]: unknown };
}

export interface Message {
	role: string;
	content: string | ContentBlock[];
	toolCallId?: string;
	toolName?: string;
	isError?: boolean;
	stopReason?: string;
	usage?: { input: number; output: number; cacheRead: number; cacheWrite: number };
}

export interface FileEntry {
	type: string;
	id: string;
	parentId: string | null;
	timestamp: string;
	message?: Message;
	targetId?: string;
	replacement?: null | { content: string | ContentBlock[] };
	customType?: string;
	kind?: string;
	summary?: string;
	data?: unknown;
}

/** All entries in file order, without the header. A torn last line is left out. */
export function readEntries(file: string): FileEntry[] {
	const lines = readFileSync(file, "utf8").split("\n");
	return lines.flatMap((line, index) => {
		if (line === "") return [];
		try {
			const entry = JSON.parse(line) as FileEntry;
			return entry.type === "session" ? [] : [entry];
		} catch (error) {
			if (index >= lines.length - 1) return [];
			throw error;
		}
	});
}

export function edits(entries: FileEntry[]): FileEntry[] {
	return entries.filter(({ type }) => type === "context_edit");
}

export function toolResults(entries: FileEntry[]): FileEntry[] {
	return entries.filter(({ message }) => message?.role === "toolResult");
}

/** Text blocks of a message, one by one. */
export function texts(message: Message): string[] {
	if (typeof message.content === "string") return [message.content];
	return message.content.flatMap(({ type, text }) => (type === "text" && text !== undefined ? [text] : []));
}

/** The newest file in a session folder. */
export function sessionFiles(folder: string): string[] {
	return readdirSync(folder, { recursive: true, encoding: "utf8" })
		.filter((name) => name.endsWith(".jsonl"))
		.map((name) => join(folder, name))
		.sort();
}
