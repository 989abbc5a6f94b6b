/**
 * How the scripted provider counts tokens. A request is a flat list of blocks, each with its canonical JSON; a block
 * costs a quarter of its UTF-8 bytes, rounded up. That is no tokenizer, only deterministic and additive, which is all
 * that a bill and a prefix cache need.
 */

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json | undefined };

/** Length of a cache entry's life that the request asked for. */
export type Tier = "5m" | "1h";

/** One unit of a prompt: what the provider's cache sees of it, without its cache mark. */
export interface Block {
	/** Canonical JSON with the place (tools, system, role) in front; two equal texts are the same block. */
	text: string;
	tokens: number;
	/** The tier of the cache mark on this block, if it carries one. */
	mark?: Tier;
}

/** UTF-8 bytes that make one token. */
export const BYTES_PER_TOKEN = 4;

/** JSON with sorted keys and without cache marks or undefined fields. */
export function canonical(value: Json | undefined): string {
	if (value === undefined) return "null";
	if (value === null || typeof value !== "object") return JSON.stringify(value);
	if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
	const fields = Object.keys(value)
		.filter((key) => key !== "cache_control" && value[key] !== undefined)
		.sort()
		.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`);
	return `{${fields.join(",")}}`;
}

export function countTokens(text: string): number {
	return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

export function block(place: string, value: Json, mark?: Tier): Block {
	const text = `${place} ${canonical(value)}`;
	return { text, tokens: countTokens(text), ...(mark ? { mark } : {}) };
}

export function sumTokens(blocks: Block[]): number {
	return blocks.reduce((sum, { tokens }) => sum + tokens, 0);
}
