/**
 * The fixed part of a summary as text: the core decides what stands in it, here the originals are sliced.
 *
 * A text of the session stands in it exactly as the session has it, lone surrogates included.
 */

import type { FixedPart } from "../answers.ts";
import { argumentText, quotedText, sliceWhole } from "./texts.ts";

/** `entryAt` gives the session's entry at a position on the branch. */
export function assemble({ parts }: FixedPart, entryAt: (index: number) => unknown): string {
	const texts = parts.map((part) => {
		if (typeof part === "string") return part;
		const { entry, argument, start, end } = part;
		const source = argument ? argumentText(entryAt(entry), argument.call, argument.name) : quotedText(entryAt(entry));
		return sliceWhole(source, start, end);
	});
	return texts.join("");
}
