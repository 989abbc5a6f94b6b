/** What the server needs to know of one provider's wire form. One file each implements it. */
import type { CacheUse } from "./cache.ts";
import type { Answer, Call, SeenMessage } from "./script.ts";
import type { Block, Json } from "./tokens.ts";

export type Fields = { [key: string]: Json | undefined };

/** An answer with everything decided: what goes on the wire. */
export interface Reply {
	/** Unique in the server's life, for building ids. */
	serial: number;
	model: string;
	thinking?: string;
	signature?: string;
	text: string;
	calls: (Call & { id: string })[];
	use: CacheUse;
	output: number;
}

/** What the provider remembers of its own answers, to refuse what was changed since. */
export interface Memory {
	/** Call id to the thinking that came with it (undefined: none), and the model that gave it. */
	calls: Map<string, { model: string; thinking?: string }>;
	/** Signature to the thinking it signs. */
	signatures: Map<string, string>;
}

export interface Family {
	/** Path of the endpoint, behind the base URL. */
	path: RegExp;
	/** The prompt in cache order. */
	blocks(body: Fields): Block[];
	/** The provider's words for a request it refuses, or undefined. */
	refuse(body: Fields, memory: Memory): string | undefined;
	messages(body: Fields): SeenMessage[];
	tools(body: Fields): string[];
	/** The output cap that the request asks for. */
	cap(body: Fields): number | undefined;
	errorBody(type: string, message: string): Fields;
	/** Server-sent events in order; the first half makes sense without the second (an answer that hangs). */
	events(reply: Reply): string[];
	/** Prefix of call ids as this provider gives them. */
	callId(serial: number, index: number): string;
}

export function fields(value: Json | undefined): Fields {
	return value !== null && typeof value === "object" && !Array.isArray(value) ? value : {};
}

/** Content as blocks: a bare string is one text block, which is what the providers make of it. */
export function contentBlocks(content: Json | undefined): Fields[] {
	if (typeof content === "string") return [{ type: "text", text: content }];
	return Array.isArray(content) ? content.map(fields) : [];
}

export function list(value: Json | undefined): Fields[] {
	return Array.isArray(value) ? value.map(fields) : [];
}

export function str(value: Json | undefined): string {
	return typeof value === "string" ? value : "";
}

/** Text of content in any of the three forms (`text`, `input_text`, `output_text`). */
export function textOf(content: Json | undefined): string {
	return contentBlocks(content)
		.map(({ text }) => str(text))
		.join("\n");
}

/** Cut a text into a few pieces, as a stream would. */
export function pieces(text: string): string[] {
	const size = Math.max(1, Math.ceil(text.length / 4));
	const result: string[] = [];
	for (let start = 0; start < text.length; start += size) result.push(text.slice(start, start + size));
	return result;
}

export function outputText(answer: Answer): string {
	return `${answer.thinking ?? ""}${answer.text ?? ""}${(answer.calls ?? []).map((call) => call.name + JSON.stringify(call.input)).join("")}`;
}
