/**
 * Judges from the session file alone whether each recalled output is its original, byte for byte: the pages that one
 * handle brought back, joined, against the entry that the handle's placeholder stands for.
 */
import { edits, type FileEntry, type Message, texts, toolResults } from "../tests/host/session-file.ts";

const HANDLE = /^\[folded by pi-zip.*?handle ([0-9a-z]{10})/s;

export interface Verdict {
	lines: string[];
	exact: boolean;
}

/** The arguments of the call that a result answers. */
function callOf(entries: FileEntry[], result: Message): { handle?: unknown } {
	for (const { message } of entries) {
		if (message?.role !== "assistant" || typeof message.content === "string") continue;
		const call = message.content.find(({ type, id }) => type === "toolCall" && id === result.toolCallId);
		if (call) return call.arguments ?? {};
	}
	return {};
}

/** Handle to the entry that it names, from the placeholders in the file. */
function originals(entries: FileEntry[]): Map<string, FileEntry> {
	const byId = new Map(entries.map((entry) => [entry.id, entry]));
	const found = new Map<string, FileEntry>();
	for (const { targetId = "", replacement } of edits(entries)) {
		const text = replacement ? texts({ role: "", content: replacement.content }).join("") : "";
		const handle = HANDLE.exec(text)?.[1];
		const original = byId.get(targetId);
		if (handle && original) found.set(handle, original);
	}
	return found;
}

export function judgeRecalls(entries: FileEntry[]): Verdict {
	const folded = originals(entries);
	if (folded.size === 0) return { lines: ["Nothing was folded."], exact: false };
	const pages = new Map<string, string[]>();
	for (const { message } of toolResults(entries)) {
		if (message?.toolName !== "zip_recall") continue;
		const handle = String(callOf(entries, message).handle);
		// What it is stands in the first block, the original alone in the second.
		pages.set(handle, [...(pages.get(handle) ?? []), texts(message)[1] ?? ""]);
	}
	const verdict: Verdict = {
		lines: [`${folded.size} outputs were folded; the session file still holds them all.`],
		exact: pages.size > 0,
	};
	if (pages.size === 0) verdict.lines.push("The model recalled none of them.");
	for (const [handle, parts] of pages) {
		const original = folded.get(handle)?.message;
		const wanted = Buffer.from(original ? texts(original).join("") : "");
		const got = Buffer.from(parts.join(""));
		const exact = original !== undefined && wanted.equals(got);
		const size = `${got.length.toLocaleString("en-US")} bytes in ${parts.length} page${parts.length === 1 ? "" : "s"}`;
		verdict.lines.push(`zip_recall ${handle}: ${size}, ${exact ? "byte for byte the original" : "NOT the original"}.`);
		verdict.exact &&= exact;
	}
	return verdict;
}
