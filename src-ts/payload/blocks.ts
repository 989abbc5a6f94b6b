/**
 * The families that put calls and results as blocks into messages of two speakers: Anthropic, Bedrock, Gemini.
 *
 * A result may answer the calls of the model's latest words, until it speaks again. Messages of one speaker in a row
 * count as one, as these providers take them, and a system message between them counts as nothing.
 */

import type { JsonObject } from "./json.ts";
import { type Family, type Orphans, Outline } from "./outline.ts";
import { windowsAround } from "./windows.ts";

/** A call or a result, as the core tells them apart. */
export interface Tag {
	id: unknown;
	/** Only where ids may be missing. */
	tool?: unknown;
}

export interface BlockShape {
	/** The role of the model's messages; the other speaker is `user`. */
	model: string;
	blocksOf(message: JsonObject): unknown;
	withBlocks(message: JsonObject, blocks: readonly JsonObject[]): JsonObject;
	isResult(block: JsonObject): boolean;
	/** Whether `block` is the call of `result`: both have the same id, or none and the same tool. */
	isCallOf(block: JsonObject, result: JsonObject): boolean;
	callOf(block: JsonObject): Tag | undefined;
	resultOf(block: JsonObject): Tag | undefined;
	/** What stands in an orphan's place. Not empty. */
	toText(block: JsonObject): JsonObject[];
	/** Text may not stand in one message with results: it gets a message of its own behind theirs. */
	apart: boolean;
}

export function blockFamily(shape: BlockShape): Family {
	return {
		outline: (list) => outline(shape, list as readonly JsonObject[]),
		rewrite: (list, orphans) => rewrite(shape, list as readonly JsonObject[], orphans),
	};
}

function outline(shape: BlockShape, list: readonly JsonObject[]): Outline | undefined {
	const suspects = suspectsIn(shape, list);
	if (suspects === undefined || suspects.length === 0) return undefined;
	const speaks = (message: JsonObject) => (message.role === "system" ? undefined : message.role === shape.model);
	const found = new Outline();
	for (const [start, end] of windowsAround(list, suspects, speaks)) describe(shape, list, start, end, found);
	return found;
}

/**
 * Messages of the user that could hold orphans; `undefined` where a message is not of this family.
 *
 * Not suspected is a message whose results stand in front and have for their calls, in the same order, the last blocks
 * of the model's message before it. It is the only one with results in its window, or another one is suspected. When
 * one of its results comes, its own call is still open, since each before it took its own or an older one; so the rule
 * gives it that call or an older one too. It runs on every request: it looks at no block that it need not.
 */
function suspectsIn(shape: BlockShape, list: readonly JsonObject[]): number[] | undefined {
	const suspects: number[] = [];
	let calls: readonly JsonObject[] = [];
	for (let index = 0; index < list.length; index += 1) {
		const message = list[index];
		const role = message?.role;
		if (message === undefined || role === "system") continue;
		const blocks = shape.blocksOf(message);
		if (role === shape.model) calls = Array.isArray(blocks) ? blocks : [];
		else if (role !== "user") return undefined;
		else if (Array.isArray(blocks)) {
			if (!isAnswered(shape, calls, blocks)) suspects.push(index);
			if (blocks.length > 0 && shape.isResult(blocks[0])) calls = [];
		}
	}
	return suspects;
}

function isAnswered(shape: BlockShape, calls: readonly JsonObject[], blocks: readonly JsonObject[]): boolean {
	let results = 0;
	while (results < blocks.length && shape.isResult(blocks[results]!)) results += 1;
	const skipped = calls.length - results;
	if (skipped < 0) return false;
	for (let place = 0; place < results; place += 1) {
		if (!shape.isCallOf(calls[skipped + place]!, blocks[place]!)) return false;
	}
	for (let place = results; place < blocks.length; place += 1) if (shape.isResult(blocks[place]!)) return false;
	return true;
}

function describe(shape: BlockShape, list: readonly JsonObject[], start: number, end: number, into: Outline): void {
	into.boundary();
	for (let index = start; index < end; index += 1) {
		const message = list[index]!;
		const blocks = shape.blocksOf(message);
		if (!Array.isArray(blocks)) continue;
		for (const [place, block] of blocks.entries()) {
			const call = message.role === shape.model ? shape.callOf(block) : undefined;
			if (call !== undefined) into.call(call.id, call.tool);
			const result = message.role === "user" ? shape.resultOf(block) : undefined;
			if (result !== undefined) into.result(index, place, result.id, result.tool);
		}
	}
}

function rewrite(shape: BlockShape, list: readonly JsonObject[], orphans: Orphans): unknown[] {
	return list.flatMap((message, index) => {
		const lost = orphans.get(index);
		return lost === undefined ? [message] : rewriteMessage(shape, message, lost);
	});
}

/** Providers want the results of a message in front: text goes behind the last one that stays. */
function rewriteMessage(shape: BlockShape, message: JsonObject, lost: ReadonlySet<number>): JsonObject[] {
	const blocks = shape.blocksOf(message) as JsonObject[];
	const lastResult = blocks.findLastIndex((block, place) => !lost.has(place) && shape.isResult(block));
	const kept: JsonObject[] = [];
	const held: JsonObject[] = [];
	for (const [place, block] of blocks.entries()) {
		const isHeld = shape.apart ? lastResult >= 0 : place < lastResult;
		if (!lost.has(place)) kept.push(block);
		else (isHeld ? held : kept).push(...shape.toText(block));
		if (!shape.apart && place === lastResult) kept.push(...held);
	}
	const own = shape.withBlocks(message, kept);
	return shape.apart && held.length > 0 ? [own, shape.withBlocks({ role: "user" }, held)] : [own];
}
