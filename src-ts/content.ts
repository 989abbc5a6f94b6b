/**
 * What entries and messages hold, by a reading that takes nothing for granted: session files come from many versions and
 * hands, so whatever does not have the shape it should is read as empty, as Pi's projection reads it.
 *
 * Lengths are in UTF-16 code units. Texts are the session's own strings.
 */

import { IMAGE_CHARACTERS } from "./host.ts";

/** An object of which nothing is known yet. */
export type Loose = Record<string, unknown>;

export type TextBlock = { type: "text"; text: string };
export type ImageBlock = { type: "image"; data: string; mimeType: string };

/** How every placeholder begins. */
const PLACEHOLDER_START = "[folded by pi-zip";

export function isRecord(value: unknown): value is Loose {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function stringOf(value: unknown): string {
	return typeof value === "string" ? value : "";
}

/** The message of an entry; empty where it has none. */
export function messageOf(entry: unknown): Loose {
	return isRecord(entry) && entry.type === "message" && isRecord(entry.message) ? entry.message : {};
}

/** The blocks of a content; none where it is a text. */
export function blocksOf(content: unknown): Loose[] {
	return Array.isArray(content) ? content.filter(isRecord) : [];
}

/** The tool calls of an answer. */
export function callsOf(message: Loose): Loose[] {
	return blocksOf(message.content).filter(({ type }) => type === "toolCall");
}

/** The texts of a content, joined with nothing between them. */
export function textOf(content: unknown): string {
	if (typeof content === "string") return content;
	const blocks = blocksOf(content);
	return blocks.length === 1 ? stringOf(blocks[0]?.text) : blocks.map(({ text }) => stringOf(text)).join("");
}

/** The same where all blocks are text; undefined where some block is not. */
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

/** Whether a placeholder of ours stands in an output's place. */
export function isPlaceholder(content: unknown): boolean {
	const first: unknown = Array.isArray(content) ? content[0] : { text: content };
	return isRecord(first) && stringOf(first.text).startsWith(PLACEHOLDER_START);
}

/** The images of a content, where it has no block but texts and images; undefined where it has others. */
export function imagesIn(content: unknown): ImageBlock[] | undefined {
	if (!Array.isArray(content)) return [];
	const images: ImageBlock[] = [];
	for (const block of content) {
		if (!isRecord(block)) return undefined;
		if (block.type === "image" && typeof block.data === "string" && typeof block.mimeType === "string") {
			images.push(block as ImageBlock);
		} else if (block.type !== "text" || typeof block.text !== "string") return undefined;
	}
	return images;
}

/** How much a content holds. */
export function sizeOf(content: unknown): { units: number; images: number } {
	if (typeof content === "string") return { units: content.length, images: 0 };
	let units = 0;
	let images = 0;
	for (const { type, text } of blocksOf(content)) {
		if (type === "image") images += 1;
		else units += stringOf(text).length;
	}
	return { units, images };
}

/** How long a content is by Pi's estimate, in characters. */
export function lengthOf(content: unknown): number {
	const { units, images } = sizeOf(content);
	return units + images * IMAGE_CHARACTERS;
}

/** The content of a tool result. */
export function outputContent(entry: unknown): unknown {
	const { role, content } = messageOf(entry);
	return role === "toolResult" ? content : undefined;
}

/** The text of a tool result whose content is text only. */
export function outputText(entry: unknown): string | undefined {
	const content = outputContent(entry);
	return content === undefined ? undefined : contentText(content);
}

/** How much a tool result holds; undefined where some block is neither text nor image. */
export function outputSize(entry: unknown): { units: number; images: number } | undefined {
	const content = outputContent(entry);
	return content === undefined || imagesIn(content) === undefined ? undefined : sizeOf(content);
}
