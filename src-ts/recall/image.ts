/**
 * What an image is, in a few words: its type, its size on the screen and in bytes, as its own head and length tell. Words
 * are printable ASCII and short, whatever the session holds: they stand in placeholders.
 */

import type { ImageBlock } from "../content.ts";

/** Images of one output that are named; the others are counted. */
const MOST_NAMED = 2;
/** A type as it is registered; anything else is not repeated. */
const TYPE = /^[\w.+-]{1,16}\/[\w.+-]{1,20}$/;
/** Characters of base64 in which the size is looked for: the head of a photograph may hold a whole small picture. */
const HEAD = 65_536;
const BYTES_A_KB = 1_024;

/** `image/png 1440x900, 1536 KB`. */
export function imageName({ data, mimeType }: Pick<ImageBlock, "data" | "mimeType">): string {
	const bytes = Math.floor((data.length * 3) / 4) - (data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0);
	const type = TYPE.test(mimeType) ? mimeType : "image";
	const pixels = pixelsOf(Buffer.from(data.slice(0, HEAD), "base64"));
	return `${type}${pixels ? ` ${pixels.width}x${pixels.height}` : ""}, ${Math.ceil(bytes / BYTES_A_KB)} KB`;
}

/** The first images of an output, and how many more there are. */
export function imageNames(images: readonly Pick<ImageBlock, "data" | "mimeType">[]): string {
	const named = images.slice(0, MOST_NAMED).map(imageName);
	const more = images.length - named.length;
	return [...named, ...(more > 0 ? [`${more} more`] : [])].join("; ");
}

interface Pixels {
	readonly width: number;
	readonly height: number;
}

/** By the head of a PNG, GIF, WebP or JPEG file. */
function pixelsOf(head: Buffer): Pixels | undefined {
	const text = (from: number, to: number) => head.toString("latin1", from, to);
	const has = (mark: string, at: number) => text(at, at + mark.length) === mark;
	try {
		if (has("\x89PNG", 0) && has("IHDR", 12)) return { width: head.readUInt32BE(16), height: head.readUInt32BE(20) };
		if (has("GIF8", 0)) return { width: head.readUInt16LE(6), height: head.readUInt16LE(8) };
		if (has("RIFF", 0) && has("WEBP", 8)) return webpPixels(head, text(12, 16));
		if (has("\xff\xd8", 0)) return jpegPixels(head);
	} catch {
		// The head is shorter than it should be.
	}
	return undefined;
}

/** The three kinds of WebP: still and lossy, lossless, with further chunks. */
function webpPixels(head: Buffer, kind: string): Pixels | undefined {
	if (kind === "VP8 ") return { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff };
	if (kind === "VP8X") return { width: head.readUIntLE(24, 3) + 1, height: head.readUIntLE(27, 3) + 1 };
	if (kind !== "VP8L") return undefined;
	const bits = head.readUInt32LE(21);
	return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

/** Walks over the segments to the one that begins a frame. */
function jpegPixels(head: Buffer): Pixels | undefined {
	for (let at = 2; head.readUInt8(at) === 0xff; ) {
		const marker = head.readUInt8(at + 1);
		const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
		if (isFrame) return { width: head.readUInt16BE(at + 7), height: head.readUInt16BE(at + 5) };
		at += 2 + Math.max(2, head.readUInt16BE(at + 2));
	}
	return undefined;
}
