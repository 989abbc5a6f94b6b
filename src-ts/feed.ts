/**
 * Turns the branch into what the core is fed: each entry once, in order, and only what the core does not know yet.
 *
 * Session files come from many versions and hands, so nothing about an entry is taken for granted: whatever does not
 * have the shape it should is fed as empty or as no message at all, by the same reading as Pi's projection. Output
 * texts are not part of an entry; the core asks for those it wants to see.
 */

import { KEEP_ENTRY, keptIn } from "./folds/kept.ts";
import { IMAGE_CHARACTERS, newEntries, type ReadonlySession, type SessionEntry } from "./host.ts";
import { imagesIn } from "./recall/blocks.ts";
import { imageNames } from "./recall/image.ts";
import { isRecord, textOf } from "./recall/parts.ts";
import type { WireAnswer, WireBody, WireCall, WireEntry, WireUsage } from "./wire.ts";

export { isRecord } from "./recall/parts.ts";

/** Custom type of the entries that keep which user messages were typed during a run. */
export const STEERING_ENTRY = "pi-zip.steering";

/** How every placeholder begins. */
export const PLACEHOLDER_START = "[folded by pi-zip";

/** Longest argument value that crosses to the core, in UTF-16 code units; commands and paths are far below it. */
const LONGEST_ARGUMENT = 8_192;

/** The core as it is fed. */
export interface Fed {
	/** Keeps the first entries of the branch and puts others behind them. */
	sync(keep: number, entries: readonly WireEntry[]): void;
	/** Positions of outputs whose text is wanted: those in view, or on the whole branch. */
	wanted(whole: boolean): Iterable<number>;
	/** `text` is UTF-8, and is not kept; `images` says what images stand in the output. */
	digest(index: number, text: Uint8Array, images: string): void;
}

/** Which entries of the branch the core holds, by position. */
export class Feed {
	#entries: SessionEntry[] = [];
	#positions = new Map<string, number>();

	/** Brings the core up to the session's leaf. */
	sync(core: Fed, session: ReadonlySession): void {
		const { fresh, ancestor } = newEntries(session, (id) => this.#positions.has(id));
		const keep = ancestor === undefined ? 0 : (this.#positions.get(ancestor) ?? -1) + 1;
		if (fresh.length === 0 && keep === this.#entries.length) return;
		for (const { id } of this.#entries.splice(keep)) this.#positions.delete(id);
		core.sync(keep, fresh.map(toWire));
		for (const entry of fresh) {
			this.#positions.set(entry.id, this.#entries.length);
			this.#entries.push(entry);
		}
		this.#giveTexts(core, false);
	}

	/**
	 * Has the core see the texts of all outputs: a summary tells of those as well that a compaction took from view. Ends
	 * soon after `until` by `performance.now()`; whether there are more.
	 */
	complete(core: Fed, until = Number.POSITIVE_INFINITY): boolean {
		return this.#giveTexts(core, true, until);
	}

	#giveTexts(core: Fed, whole: boolean, until = Number.POSITIVE_INFINITY): boolean {
		for (const index of core.wanted(whole)) {
			if (performance.now() >= until) return true;
			const content = outputContent(this.entry(index));
			core.digest(index, utf8(textOf(content)), imageNames(imagesIn(content) ?? []));
		}
		return false;
	}

	/** Entries on the branch. */
	get length(): number {
		return this.#entries.length;
	}

	/** The entry at a position on the branch. */
	entry(index: number): SessionEntry {
		const entry = this.#entries[index];
		if (entry === undefined) throw new RangeError(`no entry at ${index} of ${this.#entries.length}`);
		return entry;
	}

	/** Position of an entry on the branch. */
	position(id: string | undefined): number | undefined {
		return id === undefined ? undefined : this.#positions.get(id);
	}

	/** Id of the entry at a position on the branch. */
	id(index: number): string {
		return this.entry(index).id;
	}
}

const encoder = new TextEncoder();
/** Bytes that are kept for the next text. Larger ones are rare. */
const KEPT_BYTES = 1 << 18;
const MOST_BYTES_A_UNIT = 3;
const kept = new Uint8Array(KEPT_BYTES);

/**
 * A text as the core takes it, valid until the next call: the module's own way for strings is a loop over their units,
 * and keeps three times the memory for good where a text is not ASCII.
 */
export function utf8(text: string): Uint8Array {
	if (text.length * MOST_BYTES_A_UNIT > KEPT_BYTES) return encoder.encode(text);
	return kept.subarray(0, encoder.encodeInto(text, kept).written);
}

/** The content of a tool result. */
function outputContent(entry: unknown): unknown {
	if (!isRecord(entry) || entry.type !== "message" || !isRecord(entry.message)) return undefined;
	return entry.message.role === "toolResult" ? entry.message.content : undefined;
}

/** The text of a tool result whose content is text only: its blocks joined, with nothing between them. */
export function outputText(entry: unknown): string | undefined {
	const content = outputContent(entry);
	return content === undefined ? undefined : contentText(content);
}

/** How much a tool result holds; undefined where some block is neither text nor image. */
export function outputSize(entry: unknown): { units: number; images: number } | undefined {
	const content = outputContent(entry);
	return content === undefined || imagesIn(content) === undefined ? undefined : sizeOf(content);
}

/** How long a content is by Pi's estimate, in characters. */
export function lengthOf(content: unknown): number {
	const { units, images } = sizeOf(content);
	return units + images * IMAGE_CHARACTERS;
}

/** The text of a content whose blocks are all text, joined; undefined where some block is not text. */
export function contentText(content: unknown): string | undefined {
	if (typeof content === "string") return content;
	if (!Array.isArray(content)) return "";
	let joined = "";
	for (const block of content) {
		if (!isRecord(block) || block.type !== "text" || typeof block.text !== "string") return undefined;
		joined += block.text;
	}
	return joined;
}

type Loose = Record<string, unknown>;

function blocksOf(content: unknown): Loose[] {
	return Array.isArray(content) ? content.map((block) => (isRecord(block) ? block : {})) : [];
}

function toWire(entry: SessionEntry): WireEntry {
	const loose = entry as unknown as Loose;
	const base = { id: entry.id, at: time(loose.timestamp) };
	switch (entry.type) {
		case "message":
			return { ...base, ...messageToWire(loose.message, base.at) };
		case "custom_message":
			return { ...base, kind: "custom", ...sizeOf(loose.content) };
		case "branch_summary":
			return { ...base, kind: "branchSummary", units: length(loose.summary) };
		case "compaction":
			return {
				...base,
				kind: "compaction",
				units: length(loose.summary),
				firstKept: typeof loose.firstKeptEntryId === "string" ? loose.firstKeptEntryId : undefined,
				systemUnits: loose.systemMessage ? systemUnits(loose.systemMessage) : undefined,
			};
		case "context_edit":
			return contextEditToWire(base, loose);
		case "usage":
			if (loose.kind !== "cache_warm") return { ...base, kind: "inert" };
			return { ...base, kind: "cacheTouch", provider: string(loose.provider), model: string(loose.model) };
		case "custom":
			if (loose.customType === KEEP_ENTRY) return keptToWire(base, loose.data);
			if (loose.customType !== STEERING_ENTRY) return { ...base, kind: "inert" };
			return { ...base, kind: "steering", targets: strings(isRecord(loose.data) ? loose.data.targets : undefined) };
		default:
			return { ...base, kind: "inert" };
	}
}

function messageToWire(message: unknown, at: number): { at: number } & WireBody {
	if (!isRecord(message)) return { at, kind: "unknownMessage" };
	const base = { at: typeof message.timestamp === "number" ? message.timestamp : at };
	switch (message.role) {
		case "system":
			return { ...base, kind: "system", units: systemUnits(message) };
		case "user":
			return { ...base, kind: "user", ...sizeOf(message.content) };
		case "assistant":
			return { ...base, kind: "assistant", ...answerToWire(message) };
		case "toolResult":
			return {
				...base,
				kind: "toolResult",
				callId: string(message.toolCallId),
				tool: string(message.toolName),
				isError: message.isError === true,
				knownBlocks: imagesIn(message.content) !== undefined,
				...sizeOf(message.content),
			};
		case "bashExecution":
			return {
				...base,
				kind: "userBash",
				units: length(message.command) + length(message.output),
				excluded: message.excludeFromContext === true,
			};
		case "custom":
			return { ...base, kind: "custom", ...sizeOf(message.content) };
		default:
			return { ...base, kind: "unknownMessage" };
	}
}

function answerToWire(message: Loose): WireAnswer {
	let units = 0;
	let thinking = 0;
	const calls: WireCall[] = [];
	if (typeof message.content === "string") units = message.content.length;
	for (const block of blocksOf(message.content)) {
		if (block.type === "text") units += length(block.text);
		else if (block.type === "thinking") thinking += length(block.thinking);
		else if (block.type === "toolCall") {
			units += length(block.name) + (JSON.stringify(block.arguments)?.length ?? 0);
			calls.push(callToWire(block));
		}
	}
	return {
		units,
		thinking,
		calls,
		stop: string(message.stopReason),
		provider: string(message.provider),
		model: string(message.model),
		usage: usageToWire(message.usage),
	};
}

function callToWire(block: Loose): WireCall {
	const args: [string, string][] = [];
	let partial = false;
	for (const [name, value] of Object.entries(isRecord(block.arguments) ? block.arguments : {})) {
		// `handles` of a recall is the one list that the core needs.
		const scalar = Array.isArray(value) && value.every((item) => typeof item === "string") ? value.join(" ") : value;
		const fits = typeof scalar === "string" ? scalar.length <= LONGEST_ARGUMENT : isPlain(scalar);
		if (fits) args.push([name, String(scalar)]);
		partial ||= !fits || scalar !== value;
	}
	return { id: string(block.id), tool: string(block.name), args, partial };
}

function isPlain(value: unknown): boolean {
	return typeof value === "number" || typeof value === "boolean";
}

function usageToWire(usage: unknown): WireUsage | undefined {
	if (!isRecord(usage)) return undefined;
	return {
		input: number(usage.input),
		output: number(usage.output),
		cacheRead: number(usage.cacheRead),
		cacheWrite: number(usage.cacheWrite),
		cacheWrite1h: usage.cacheWrite1h === undefined ? undefined : number(usage.cacheWrite1h),
	};
}

function contextEditToWire(base: { id: string; at: number }, entry: Loose): WireEntry {
	const target = string(entry.targetId);
	if (entry.replacement === null) return { ...base, kind: "omission", target };
	// Pi would throw on a replacement of another shape; an edit that cannot be is no edit.
	if (!isRecord(entry.replacement)) return { ...base, kind: "inert" };
	const content = entry.replacement.content;
	const placeholder = contentText(content)?.startsWith(PLACEHOLDER_START) === true;
	return { ...base, kind: "contextEdit", target, placeholder, ...sizeOf(content) };
}

/** An output that the user keeps counts as edited by a content of its own size, until they let go of it. */
function keptToWire(base: { id: string; at: number }, data: unknown): WireEntry {
	const kept = keptIn(data);
	if (!kept) return { ...base, kind: "inert" };
	const { target, units, images } = kept;
	if (kept.released) return { ...base, kind: "release", target };
	return { ...base, kind: "contextEdit", target, placeholder: false, units, images };
}

export function sizeOf(content: unknown): { units: number; images: number } {
	if (typeof content === "string") return { units: content.length, images: 0 };
	let units = 0;
	let images = 0;
	for (const block of blocksOf(content)) {
		if (block.type === "image") images += 1;
		else units += length(block.text);
	}
	return { units, images };
}

function systemUnits(message: unknown): number {
	if (!isRecord(message)) return 0;
	let units = sizeOf(message.content).units;
	for (const section of Object.values(isRecord(message.sections) ? message.sections : {})) units += length(section);
	if (message.toolsAdded) units += JSON.stringify(message.toolsAdded).length;
	return units;
}

function time(timestamp: unknown): number {
	const at = typeof timestamp === "number" ? timestamp : Date.parse(string(timestamp));
	return Number.isFinite(at) ? at : 0;
}

function string(value: unknown): string {
	return typeof value === "string" ? value : "";
}

function strings(value: unknown): string[] {
	return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

function length(value: unknown): number {
	return typeof value === "string" ? value.length : 0;
}

function number(value: unknown): number {
	return typeof value === "number" ? value : Number.NaN;
}
