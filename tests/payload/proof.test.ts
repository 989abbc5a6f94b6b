/**
 * What a family leaves out of its outline must be what the rule would find nothing in. Random conversations, most of
 * them such as no host would send, are written in each family's shape; what is repaired must be what the rule finds in
 * the outline of the whole conversation.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { repairPayload } from "../../src-ts/payload.ts";
import { Random } from "../session/random.ts";
import { findOrphans } from "./module.ts";

const CONVERSATIONS = 20_000;
const SEED = Number(process.env.PI_ZIP_TEST_SEED ?? 20_261_130);

interface Tagged {
	id?: string;
	tool: string;
}

interface Message {
	speaker: "model" | "user" | "system";
	calls: Tagged[];
	results: Tagged[];
	/** Stands in front of the results. */
	text: boolean;
}

interface Shape {
	/** Calls are open until the model speaks again. */
	hasBoundaries: boolean;
	hasTools: boolean;
	write(messages: Message[]): object;
	/** Texts of the results that are still such, in order. */
	results(body: never): string[];
}

const tagText = ({ id, tool }: Tagged) => `${id} ${tool}`;
const role = (speaker: Message["speaker"], model: string) => (speaker === "model" ? model : speaker);

type Blocks = { content: { type?: string; content?: string; toolResult?: { content: { text: string }[] } }[] };

const SHAPES: { [family: string]: Shape } = {
	anthropic: {
		hasBoundaries: true,
		hasTools: false,
		write: (messages) => ({
			max_tokens: 1,
			messages: messages.map(({ speaker, calls, results, text }) => ({
				role: role(speaker, "assistant"),
				content: [
					...(text ? [{ type: "text", text: "t" }] : []),
					...calls.map(({ id }) => ({ type: "tool_use", id })),
					...results.map((result) => ({ type: "tool_result", tool_use_id: result.id, content: tagText(result) })),
				],
			})),
		}),
		results: (body: { messages: Blocks[] }) =>
			body.messages.flatMap(({ content }) =>
				content.flatMap((block) => (block.type === "tool_result" ? [block.content ?? ""] : [])),
			),
	},
	bedrock: {
		hasBoundaries: true,
		hasTools: false,
		write: (messages) => ({
			messages: messages.map(({ speaker, calls, results, text }) => ({
				role: role(speaker, "assistant"),
				content: [
					...(text ? [{ text: "t" }] : []),
					...calls.map(({ id }) => ({ toolUse: { toolUseId: id } })),
					...results.map((result) => ({ toolResult: { toolUseId: result.id, content: [{ text: tagText(result) }] } })),
				],
			})),
		}),
		results: (body: { messages: Blocks[] }) =>
			body.messages.flatMap(({ content }) => content.flatMap((block) => block.toolResult?.content[0]?.text ?? [])),
	},
	gemini: {
		hasBoundaries: true,
		hasTools: true,
		write: (messages) => ({
			contents: messages.map(({ speaker, calls, results, text }) => ({
				role: role(speaker, "model"),
				parts: [
					...(text ? [{ text: "t" }] : []),
					...calls.map(({ id, tool }) => ({ functionCall: { name: tool, ...(id && { id }) } })),
					...results.map((result) => ({
						functionResponse: {
							name: result.tool,
							response: { output: tagText(result) },
							...(result.id && { id: result.id }),
						},
					})),
				],
			})),
		}),
		results: (body: { contents: { parts: { functionResponse?: { response: { output: string } } }[] }[] }) =>
			body.contents.flatMap(({ parts }) => parts.flatMap((part) => part.functionResponse?.response.output ?? [])),
	},
	chat: {
		hasBoundaries: true,
		hasTools: false,
		write: (messages) => ({
			messages: messages.flatMap(({ speaker, calls, results, text }): object[] => {
				if (speaker === "model")
					return [{ role: "assistant", content: null, tool_calls: calls.map(({ id }) => ({ id })) }];
				const own = text || results.length === 0 ? [{ role: speaker, content: "t" }] : [];
				return [
					...own,
					...results.map((result) => ({ role: "tool", tool_call_id: result.id, content: tagText(result) })),
				];
			}),
		}),
		results: (body: { messages: { role: string; content: string }[] }) =>
			body.messages.flatMap(({ role, content }) => (role === "tool" ? [content] : [])),
	},
	responses: {
		hasBoundaries: false,
		hasTools: false,
		write: (messages) => ({
			input: messages.flatMap(({ speaker, calls, results }): object[] => [
				{ role: speaker, content: "t" },
				...calls.map(({ id }) => ({ type: "function_call", call_id: id })),
				...results.map((result) => ({ type: "function_call_output", call_id: result.id, output: tagText(result) })),
			]),
		}),
		results: (body: { input: { output?: string }[] }) => body.input.flatMap(({ output }) => output ?? []),
	},
};

for (const [family, shape] of Object.entries(SHAPES)) {
	test(`${family}: ${CONVERSATIONS} conversations, seed ${SEED}`, () => {
		let repairs = 0;
		for (let number = 0; number < CONVERSATIONS; number += 1) {
			const messages = conversation(new Random(SEED + number), shape.hasTools);
			const body = shape.write(messages);
			const repaired = repairPayload(body, findOrphans);
			if (repaired !== undefined) repairs += 1;
			const left = shape.results((repaired ?? body) as never);
			assert.deepEqual(left, answering(messages, shape), `seed ${SEED + number}: ${JSON.stringify(messages)}`);
		}
		assert.ok(repairs > CONVERSATIONS / 10 && repairs < CONVERSATIONS, `${repairs} repairs`);
	});
}

function conversation(random: Random, hasTools: boolean): Message[] {
	const withIds = hasTools ? random.pick([0, 0.8, 1]) : 1;
	const tagged = (): Tagged => ({
		...(random.chance(withIds) ? { id: random.pick(["a", "b", "c"]) } : {}),
		tool: random.pick(["read", "bash"]),
	});
	const some = (limit: number) => Array.from({ length: random.below(limit) }, tagged);
	let calls: Tagged[] = [];
	return Array.from({ length: random.below(8) }, (): Message => {
		const speaker = random.pick(["model", "model", "user", "user", "user", "system"] as const);
		const text = random.chance(0.2);
		if (speaker === "model") {
			calls = some(4);
			return { speaker, calls, results: [], text };
		}
		const results = random.chance(0.6) ? calls : some(4);
		return { speaker, calls: [], results: speaker === "user" ? results : [], text };
	});
}

/** The results that the rule lets be, given the whole conversation. */
function answering(messages: Message[], shape: Shape): string[] {
	const keys = ["", "a", "b", "c", "read", "bash"];
	const numbers = ({ id, tool }: Tagged) => [keys.indexOf(id ?? ""), shape.hasTools ? keys.indexOf(tool) : 0];
	const outline: number[][] = [];
	const results: string[] = [];
	let lastSpeaker: Message["speaker"] = "user";
	for (const message of messages) {
		if (shape.hasBoundaries && message.speaker === "model" && lastSpeaker !== "model") outline.push([0, 0, 0]);
		if (message.speaker !== "system") lastSpeaker = message.speaker;
		outline.push(...message.calls.map((call) => [1, ...numbers(call)]));
		for (const result of message.results) {
			results[outline.length] = tagText(result);
			outline.push([2, ...numbers(result)]);
		}
	}
	for (const orphan of findOrphans(Uint32Array.from(outline.flat()))) delete results[orphan];
	return results.flat();
}
