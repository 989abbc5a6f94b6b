/**
 * Entries of the branch as the core takes them. What has no shape that Pi's projection knows is fed as empty or as no
 * message at all, so that both read the branch alike.
 */

import { blocksOf, imagesIn, isPlaceholder, isRecord, type Loose, sizeOf, stringOf } from "./content.ts";
import { KEEP_ENTRY, keptIn } from "./folds/kept.ts";
import type { SessionEntry } from "./host.ts";
import { STEERING_ENTRY } from "./steering.ts";
import type { WireAnswer, WireBody, WireCall, WireEntry, WireUsage } from "./wire.ts";

/** Longest argument value that crosses to the core, in UTF-16 code units; commands and paths are far below it. */
const LONGEST_ARGUMENT = 8_192;

export function toWire(entry: SessionEntry): WireEntry {
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
			return { ...base, kind: "cacheTouch", provider: stringOf(loose.provider), model: stringOf(loose.model) };
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
				callId: stringOf(message.toolCallId),
				tool: stringOf(message.toolName),
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
	let said = length(message.content);
	let thinking = 0;
	let called = 0;
	const calls: WireCall[] = [];
	for (const block of blocksOf(message.content)) {
		if (block.type === "text") said += length(block.text);
		else if (block.type === "thinking") thinking += length(block.thinking);
		else if (block.type === "toolCall") {
			called += length(block.name) + (JSON.stringify(block.arguments)?.length ?? 0);
			calls.push(callToWire(block));
		}
	}
	return {
		units: said + called,
		said,
		thinking,
		calls,
		stop: stringOf(message.stopReason),
		provider: stringOf(message.provider),
		model: stringOf(message.model),
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
	return { id: stringOf(block.id), tool: stringOf(block.name), args, partial };
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
	const target = stringOf(entry.targetId);
	if (entry.replacement === null) return { ...base, kind: "omission", target };
	// Pi would throw on a replacement of another shape; an edit that cannot be is no edit.
	if (!isRecord(entry.replacement)) return { ...base, kind: "inert" };
	const { content } = entry.replacement;
	return { ...base, kind: "contextEdit", target, placeholder: isPlaceholder(content), ...sizeOf(content) };
}

/** An output that the user keeps counts as edited by a content of its own size, until they let go of it. */
function keptToWire(base: { id: string; at: number }, data: unknown): WireEntry {
	const kept = keptIn(data);
	if (!kept) return { ...base, kind: "inert" };
	const { target, units, images } = kept;
	if (kept.released) return { ...base, kind: "release", target };
	return { ...base, kind: "contextEdit", target, placeholder: false, units, images };
}

function systemUnits(message: unknown): number {
	if (!isRecord(message)) return 0;
	let units = sizeOf(message.content).units;
	for (const section of Object.values(isRecord(message.sections) ? message.sections : {})) units += length(section);
	if (message.toolsAdded) units += JSON.stringify(message.toolsAdded).length;
	return units;
}

function time(timestamp: unknown): number {
	const at = typeof timestamp === "number" ? timestamp : Date.parse(stringOf(timestamp));
	return Number.isFinite(at) ? at : 0;
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
