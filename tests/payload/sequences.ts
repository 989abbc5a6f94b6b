/**
 * Seeded sequences of messages, as Pi hands them to a provider's serialiser: tool calls and answers in good and in bad
 * order. Each text and image holds a mark of its own, so that a test can see that none was lost.
 */

import type { AssistantMessage, Message, ToolCall, ToolResultMessage } from "@earendil-works/pi-ai";
import { Random } from "../session/random.ts";
import type { Origin } from "./serialisers.ts";

const TOOLS = ["read", "bash", "grep"];
const USAGE = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2 };
const COST = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
/** An image of one pixel; its last characters are replaced by a mark. */
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk";

type Content = ToolResultMessage["content"];

export function sequenceOf(seed: number, origin: Origin): Message[] {
	return new Generator(new Random(seed), origin).run();
}

class Generator {
	readonly #random: Random;
	readonly #origin: Origin;
	readonly #messages: Message[] = [];
	readonly #used: ToolCall[] = [];
	/** How often things go wrong in this sequence; a good part of all sequences is sound. */
	readonly #trouble: number;
	#marks = 0;
	#clock = 0;

	constructor(random: Random, origin: Origin) {
		this.#random = random;
		this.#origin = origin;
		this.#trouble = random.pick([0, 0.3, 1]);
	}

	run(): Message[] {
		const random = this.#random;
		this.#system("You are a coding agent.");
		if (this.#goesWrong(0.15)) this.#strayResult();
		this.#push({ role: "user", content: this.#text(), timestamp: this.#tick() });
		for (let rounds = 1 + random.below(8); rounds > 0; rounds -= 1) this.#round();
		return this.#messages;
	}

	#round(): void {
		const random = this.#random;
		if (random.chance(0.35)) this.#user();
		if (random.chance(0.06)) this.#system("Be brief.");
		const calls = random.chance(0.75) ? this.#calls() : [];
		const stop = random.chance(0.06) ? random.pick(["aborted", "error"] as const) : calls.length ? "toolUse" : "stop";
		this.#assistant(calls, stop);
		if (random.chance(0.08)) this.#system("Tools are slow today.");
		// Most rounds answer each call once; the rest show the faults of edited, cut and imported sessions.
		const order = random.chance(0.2) ? shuffled(random, calls) : calls;
		const late: ToolCall[] = [];
		// Nothing answers the calls of an answer that failed, but for a session that was edited.
		if (stop !== "toolUse" && !this.#goesWrong(0.5)) return;
		for (const call of order) {
			if (this.#goesWrong(0.05)) this.#strayResult();
			if (this.#goesWrong(0.06)) continue;
			if (this.#goesWrong(0.06)) late.push(call);
			else this.#result(call);
			if (this.#goesWrong(0.05)) this.#result(call);
			if (random.chance(0.05)) this.#system("Still slow.");
		}
		if (this.#goesWrong(0.07)) this.#strayResult();
		if (late.length > 0 && random.chance(0.5)) this.#user();
		else if (late.length > 0) this.#assistant([], "stop");
		for (const call of late) this.#result(call);
	}

	#user(): void {
		const random = this.#random;
		const kind = random.below(8);
		const content: Content = kind === 0 ? [] : [{ type: "text", text: kind === 1 ? " " : this.#text() }];
		if (kind === 2) content.push(this.#image());
		this.#push({ role: "user", content: kind === 3 ? this.#text() : content, timestamp: this.#tick() });
	}

	#system(content: string): void {
		const isFirst = this.#messages.length === 0;
		const toolsAdded = TOOLS.map((name) => ({
			name,
			description: name,
			parameters: { type: "object", properties: { path: { type: "string" } } },
		}));
		this.#push({ role: "system", content, ...(isFirst ? { toolsAdded } : {}), timestamp: this.#tick() } as Message);
	}

	#calls(): ToolCall[] {
		const random = this.#random;
		const calls: ToolCall[] = [];
		for (let left = random.pick([1, 1, 1, 2, 3, 5]); left > 0; left -= 1) {
			const old = random.chance(0.15) ? random.pick([...this.#used, undefined]) : undefined;
			const isFree = old !== undefined && calls.every((call) => call.id !== old.id);
			const id = isFree ? old.id : this.#origin.callId(this.#marks++);
			calls.push({ type: "toolCall", id, name: random.pick(TOOLS), arguments: { path: this.#text() } });
		}
		this.#used.push(...calls);
		return calls;
	}

	#assistant(calls: ToolCall[], stopReason: AssistantMessage["stopReason"]): void {
		const random = this.#random;
		const content: AssistantMessage["content"] = [];
		if (random.chance(0.4)) content.push(this.#origin.thinking(this.#text(), this.#marks++));
		if (random.chance(0.6)) content.push({ type: "text", text: random.chance(0.1) ? "" : this.#text() });
		const isForeign = random.chance(0.1);
		const { api, provider, model } = isForeign
			? { api: "openai-completions", provider: "elsewhere", model: "other" }
			: this.#origin;
		// Another provider's reasoning is dropped by Pi, and with it the mark.
		const kept = isForeign ? content.filter((block) => block.type !== "thinking") : content;
		const usage = { ...USAGE, cost: COST };
		const timestamp = this.#tick();
		this.#push({ role: "assistant", content: [...kept, ...calls], api, provider, model, usage, stopReason, timestamp });
	}

	#result(call: Pick<ToolCall, "id" | "name">): void {
		const random = this.#random;
		const content = this.#resultContent(random.below(10));
		const isError = random.chance(0.15);
		const timestamp = this.#tick();
		this.#push({ role: "toolResult", toolCallId: call.id, toolName: call.name, content, isError, timestamp });
	}

	#resultContent(kind: number): Content {
		const text = { type: "text" as const, text: this.#text() };
		if (kind === 0) return [];
		if (kind === 1) return [{ type: "text", text: " \n" }];
		if (kind === 2 && this.#origin.images) return [this.#image()];
		if (kind === 3 && this.#origin.images) return [text, this.#image()];
		if (kind === 4) return [text, { type: "text", text: this.#text() }];
		return [text];
	}

	/** A result of a call that was never made, or that was answered long ago. */
	#strayResult(): void {
		const random = this.#random;
		const old = random.chance(0.4) ? random.pick([...this.#used, undefined]) : undefined;
		const latest = this.#used.findLast((call) => call.id === old?.id);
		this.#result(latest ?? { id: this.#origin.callId(this.#marks++), name: random.pick(TOOLS) });
	}

	#text(): string {
		return `${this.#random.pick(["plain", "two\nlines", "  padded ", "accented é😀"])} <mark ${this.#marks++}>`;
	}

	#image(): Content[number] {
		const mark = String(this.#marks++).padStart(8, "0");
		return { type: "image", mimeType: "image/png", data: `${PIXEL}${mark}` };
	}

	#goesWrong(probability: number): boolean {
		return this.#random.chance(probability * this.#trouble);
	}

	#push(message: Message): void {
		this.#messages.push(message);
	}

	#tick(): number {
		this.#clock += 1000;
		return this.#clock;
	}
}

function shuffled<T>(random: Random, items: readonly T[]): T[] {
	const left = [...items];
	const order: T[] = [];
	while (left.length > 0) order.push(...left.splice(random.below(left.length), 1));
	return order;
}
