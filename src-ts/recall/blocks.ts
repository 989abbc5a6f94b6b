/**
 * An original that is more than one text: its blocks, and what of them a page holds. A page's text comes back cut where
 * the original's blocks were cut, and its images as the very blocks that they were.
 */

import { type ImageBlock, isRecord, stringOf, type TextBlock } from "../content.ts";

export interface Blocks {
	/** Ends of the text blocks in the joined text, in UTF-16 units. */
	readonly ends: readonly number[];
	/** Each with the place in the joined text that it stands at. */
	readonly images: readonly { readonly at: number; readonly image: ImageBlock }[];
}

/** Undefined where a content is one text. */
export function blocksOf(content: unknown): Blocks | undefined {
	if (!Array.isArray(content)) return undefined;
	const ends: number[] = [];
	const images: { at: number; image: ImageBlock }[] = [];
	let at = 0;
	for (const block of content) {
		if (!isRecord(block)) continue;
		if (block.type === "image") {
			const { data, mimeType } = block;
			if (typeof data === "string" && typeof mimeType === "string") {
				images.push({ at, image: { type: "image", data, mimeType } });
			}
			continue;
		}
		at += stringOf(block.text).length;
		ends.push(at);
	}
	return ends.length > 1 || images.length > 0 ? { ends, images } : undefined;
}

/**
 * The blocks of a page: `spans` are its parts of `text`. Images belong to a page of the whole original (`from` to `to`, of
 * `of`), each to one: the page that begins at it or holds what stands behind it, and the last one those at the end.
 */
export function cut(
	text: string,
	spans: readonly number[],
	{ ends, images }: Blocks,
	whole: { from: number; to: number; of: number } | undefined,
): (TextBlock | ImageBlock)[] {
	const cuts = [...ends];
	const shown: (TextBlock | ImageBlock)[] = [];
	const waiting = whole
		? images.filter(({ at }) => (at >= whole.from && at < whole.to) || (at === whole.of && whole.to === whole.of))
		: [];
	let piece = "";
	const flush = () => {
		if (piece !== "") shown.push({ type: "text", text: piece });
		piece = "";
	};
	const show = (at: number) => {
		while (waiting[0] && waiting[0].at <= at) {
			flush();
			shown.push(waiting.shift()!.image);
		}
	};
	for (let index = 0; index < spans.length; index += 2) {
		const end = spans[index + 1] ?? 0;
		for (let at = spans[index] ?? 0; at < end; ) {
			while (cuts[0] !== undefined && cuts[0] <= at) {
				cuts.shift();
				flush();
			}
			show(at);
			const next = Math.min(end, cuts[0] ?? end, Math.max(at + 1, waiting[0]?.at ?? end));
			piece += text.slice(at, next);
			at = next;
		}
	}
	flush();
	show(text.length);
	return shown;
}
