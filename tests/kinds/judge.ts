/**
 * What must hold of every request, whatever the session: told from the request alone, by means of its own.
 */

import assert from "node:assert/strict";
import type { Message } from "@earendil-works/pi-ai";
import { convertToLlm, type SessionManager } from "@earendil-works/pi-coding-agent";
import * as tui from "@earendil-works/pi-tui";
import { findOrphans, handleOf, recallPage } from "../../src-ts/core.ts";
import { repairPayload } from "../../src-ts/payload.ts";
import { Originals } from "../../src-ts/recall/originals.ts";
import { recallTool } from "../../src-ts/recall.ts";
import { FAMILIES, serialisersOf } from "../payload/serialisers.ts";
import { validateAnthropic } from "../payload/validators/anthropic.ts";
import { validateBedrock } from "../payload/validators/bedrock.ts";
import { validateChat } from "../payload/validators/chat.ts";
import { validateGemini } from "../payload/validators/gemini.ts";
import { validateResponses } from "../payload/validators/responses.ts";
import type { Validator } from "../payload/validators/validator.ts";
import { type Arguments, nextCall, originalsIn, type Result } from "../recall/session.ts";
import { folds, type Request, type World } from "../world/pi.ts";
import { FOLDED } from "../world/plain.ts";

type Loose = Record<string, unknown>;

/** Nothing failed, and nothing is paused or switched off. */
export function assertQuiet(world: World): void {
	assert.deepEqual(world.errors, []);
	for (const notice of world.notices) assert.doesNotMatch(notice, /failed|paused|switched off/);
}

/** The request is Pi's own but for the texts of folded results, and pairs as it would without us. */
export function assertFair(request: Request): void {
	const { view, plain } = request;
	assert.equal(view.length, plain.length);
	const [seen, own] = [view, plain].map((messages) => messages.map((message): Loose => JSON.parse(message)));
	for (const [index, message] of seen!.entries()) {
		const original = own![index]!;
		if (view[index] === plain[index]) continue;
		const content = message.content as Loose[];
		assert.deepEqual({ ...message, content: original.content }, original, "more than a text was changed");
		assert.equal(original.role, "toolResult");
		assert.equal(content.length, 1);
		assert.ok(String(content[0]?.text).startsWith(FOLDED));
	}
	assert.deepEqual(pairingFaults(seen!), pairingFaults(own!));
}

/** Results that answer no call of the answer before them, and calls that nothing answered before the next answer. */
export function pairingFaults(messages: readonly Loose[]): string[] {
	const faults: string[] = [];
	let open: string[] = [];
	const unanswered = (at: number) => faults.push(...open.map((id) => `no result for ${id} before ${at}`));
	for (const [at, message] of messages.entries()) {
		if (message.role === "assistant") {
			unanswered(at);
			const blocks = Array.isArray(message.content) ? (message.content as Loose[]) : [];
			open = blocks.filter(({ type }) => type === "toolCall").map(({ id }) => String(id));
		} else if (message.role === "toolResult") {
			const found = open.indexOf(String(message.toolCallId));
			if (found < 0) faults.push(`no call for ${message.toolCallId} at ${at}`);
			else open.splice(found, 1);
		}
	}
	unanswered(messages.length);
	return faults;
}

const VALIDATORS: { [family: string]: Validator } = {
	anthropic: validateAnthropic,
	bedrock: validateBedrock,
	chat: validateChat,
	gemini: validateGemini,
	responses: validateResponses,
};

/**
 * Each family's provider takes the request, once what lost its call was turned into text. Returns the bodies, and
 * whether they were repaired.
 */
export async function assertTaken(request: Request): Promise<{ family: string; body: string; repaired: boolean }[]> {
	const messages = convertToLlm(request.view.map((message) => JSON.parse(message))) as Message[];
	const bodies = [];
	for (const family of FAMILIES) {
		const [serialiser] = await serialisersOf(family);
		const body = await serialiser!.serialise(messages);
		const repaired = repairPayload(body, findOrphans);
		assert.deepEqual(VALIDATORS[family]!(repaired ?? body), [], family);
		bodies.push({ family, body: JSON.stringify(repaired ?? body), repaired: repaired !== undefined });
	}
	return bodies;
}

/** Every folded output of the request comes back whole, however it is paged. Returns the entries that were folded. */
export async function assertRecalled(world: World, request = world.last): Promise<string[]> {
	const folded = [...folds(request).keys()];
	for (const id of folded) await assertExact(world.manager, id);
	return folded;
}

/** The pages of an entry's recall, joined, are its text. */
export async function assertExact(session: SessionManager, id: string, limit = 50_000): Promise<string[]> {
	const entry = session.getEntry(id);
	assert.ok(entry?.type === "message" && entry.message.role === "toolResult");
	const content: unknown = entry.message.content;
	const original =
		typeof content === "string" ? content : (content as Loose[]).map((block) => block.text as string).join("");
	const pages: string[] = [];
	for (let call: Arguments | undefined = { handle: handleOf(id), limit }; call; ) {
		const result = await recall(session, call);
		pages.push(...originalsIn(result));
		call = nextCall(result);
	}
	assert.ok(pages.join("") === original, `entry ${id} does not come back as it was`);
	return pages;
}

/** The tool's own answer over a session. */
export async function recall(session: SessionManager, args: Arguments): Promise<Result> {
	const originals = new Originals(handleOf);
	const tool = recallTool({ host: { tui }, find: (handle) => originals.find(session, handle), pager: recallPage });
	return (await tool.execute("call", args as never, undefined, undefined, {} as never)) as Result;
}
