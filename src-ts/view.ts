/**
 * The view: the messages of one request, and our placeholders in them.
 *
 * Messages carry no entry id, so a folded one is found again by what a message keeps through every clone: role,
 * timestamp and, for results, call id. Ids and times may repeat, so equal messages are told apart by their order.
 * Nothing here decides what is folded.
 */

import { contentText, sizeOf } from "./content.ts";
import type { Message, SessionProjection, ToolResultMessage } from "./host.ts";

/** A placeholder in the view, tied to the entry that it stands for. */
export interface Placed {
	readonly entryId: string;
	readonly placeholder: string;
	/** Length of the original text in UTF-16 code units, and its images. */
	readonly units: number;
	readonly images: number;
	/** The message it replaces, as the projection has it. */
	readonly key: string;
	/** How many messages of the same key come before it. */
	readonly occurrence: number;
	/** Other messages of the view had the same key when the plan was made. */
	readonly hasTwins: boolean;
	/** Where it stood in the last view. */
	index: number;
}

/** What another extension did to the messages that pi-zip relies on. */
export interface ForeignChange {
	readonly kind: "missing" | "shortened" | "replaced";
	readonly role: "toolResult" | "assistant";
	readonly entryId: string;
}

/** Where each projected message stands in the view, or the first change that rules out folding. */
export type Alignment = { readonly positions: Int32Array } | { readonly change: ForeignChange };

/** What a message keeps through every clone. */
export function keyOf(message: Message): string {
	return message.role === "toolResult"
		? `toolResult ${message.timestamp} ${message.toolCallId}`
		: `${message.role} ${message.timestamp}`;
}

function sameKey(a: Message, b: Message): boolean {
	if (a.role !== b.role || a.timestamp !== b.timestamp) return false;
	return a.role !== "toolResult" || a.toolCallId === (b as ToolResultMessage).toolCallId;
}

/**
 * Finds each message of Pi's projection in the view. Messages that others added are skipped; a message of the user or
 * the system may be missing or changed. A tool result or answer that is missing or reads otherwise is a change.
 */
export function align(projection: SessionProjection, view: readonly Message[]): Alignment {
	const positions = new Int32Array(projection.messages.length).fill(-1);
	let projected = 0;
	let next = 0;
	for (const entry of projection.entries) {
		for (const message of entry.messages) {
			const found = find(message, view, next);
			if (found >= 0) {
				positions[projected] = found;
				next = found + 1;
			}
			if (message.role === "toolResult" || message.role === "assistant") {
				const kind = found < 0 ? "missing" : difference(message, view[found] as typeof message);
				if (kind) return { change: { kind, role: message.role, entryId: entry.sourceEntry.id } };
			}
			projected += 1;
		}
	}
	return { positions };
}

/**
 * Messages looked through for one of the user or the system, which others may change: without an end to it, a view in
 * which all of them were changed would be walked once for each.
 */
const NEAR = 64;

function find(message: Message, view: readonly Message[], from: number): number {
	const isCompared = message.role === "toolResult" || message.role === "assistant";
	const end = isCompared ? view.length : Math.min(view.length, from + NEAR);
	for (let index = from; index < end; index += 1) {
		const candidate = view[index];
		if (candidate && sameKey(message, candidate)) return index;
	}
	return -1;
}

type Compared = Extract<Message, { role: "toolResult" | "assistant" }>;

function difference(original: Compared, seen: Compared): "shortened" | "replaced" | undefined {
	if (original.content === seen.content) return undefined;
	if (!Array.isArray(original.content) || !Array.isArray(seen.content)) {
		return JSON.stringify(original.content) === JSON.stringify(seen.content) ? undefined : "replaced";
	}
	if (original.content.length !== seen.content.length) {
		return seen.content.length < original.content.length ? "shortened" : "replaced";
	}
	for (const [index, block] of original.content.entries()) {
		const other = seen.content[index] as typeof block | undefined;
		if (block?.type !== other?.type) return "replaced";
		const [a, b] = [blockText(block), blockText(other)];
		if (sameText(a, b)) continue;
		return b.length < a.length ? "shortened" : "replaced";
	}
	return undefined;
}

type Block = Compared["content"][number] | undefined;

/** Up to this length texts are compared whole, in UTF-16 code units. */
const COMPARED_WHOLE = 512;
/** Points at which a longer text is compared. Whoever replaces an output by one of the same length changes its tail. */
const SAMPLES = 32;

/** Equal lengths and samples: comparing every text of a large session whole would take longer than planning. */
function sameText(a: string, b: string): boolean {
	if (a.length !== b.length) return false;
	if (a.length <= COMPARED_WHOLE) return a === b;
	for (let sample = 0; sample < SAMPLES; sample += 1) {
		const at = a.length - 1 - Math.floor((sample * a.length) / SAMPLES);
		if (a.charCodeAt(at) !== b.charCodeAt(at)) return false;
	}
	return true;
}

function blockText(block: Block): string {
	if (block?.type === "text") return block.text;
	if (block?.type === "thinking") return block.thinking;
	if (block?.type === "image") return block.data ?? "";
	return block?.type === "toolCall" ? block.id : "";
}

/** Tells the results of a view apart; answers by index, and nothing for a message that is no result. */
export function resultsIn(
	view: readonly Message[],
): (index: number) => Pick<Placed, "key" | "occurrence" | "hasTwins"> | undefined {
	const counts = new Map<string, number>();
	const seen = view.map((message) => {
		if (message.role !== "toolResult") return undefined;
		const key = keyOf(message);
		const occurrence = counts.get(key) ?? 0;
		counts.set(key, occurrence + 1);
		return { key, occurrence };
	});
	return (index) => {
		const found = seen[index];
		return found && { ...found, hasTwins: (counts.get(found.key) ?? 0) > 1 };
	};
}

/**
 * Puts the placeholders into a view, in place of messages that read as the original. Returns the view as it goes out,
 * and whether each placeholder was already there. Touches only the messages it replaces.
 */
export function place(view: readonly Message[], placed: readonly Placed[]): { view: Message[]; standing: boolean } {
	const result = view.slice();
	let standing = true;
	for (const fold of placed) {
		const message = locate(view, fold);
		if (!message) continue;
		const text = contentText(message.content);
		if (text === fold.placeholder) continue;
		standing = false;
		// Another content than the original is somebody else's doing; it is theirs to keep.
		const { units, images } = sizeOf(message.content);
		if (units !== fold.units || images !== fold.images) continue;
		result[fold.index] = { ...message, content: [{ type: "text", text: fold.placeholder }] };
	}
	return { view: result, standing };
}

function locate(view: readonly Message[], fold: Placed): ToolResultMessage | undefined {
	const message = view[fold.index];
	if (!fold.hasTwins && message?.role === "toolResult" && keyOf(message) === fold.key) return message;
	let occurrence = 0;
	for (const [index, candidate] of view.entries()) {
		if (candidate.role !== "toolResult" || keyOf(candidate) !== fold.key) continue;
		if (occurrence === fold.occurrence) {
			fold.index = index;
			return candidate;
		}
		occurrence += 1;
	}
	return undefined;
}
