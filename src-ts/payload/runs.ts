/**
 * Rewriting where each result is an item of its own: OpenAI chat completions, Mistral, OpenAI Responses.
 *
 * Results that stand in a row answer the calls of one message, and nothing may come between them. So text waits until
 * the row ends, and the orphans of a row become one message of the user.
 */

import type { JsonObject } from "./json.ts";
import type { Orphans } from "./outline.ts";

export interface RunShape {
	isResult(item: JsonObject): boolean;
	/** The content that an orphan leaves to the user's message. Not empty. */
	toContent(item: JsonObject): JsonObject[];
}

/** `bridge` goes between a result that stays and the user's message behind it. */
export function rewriteRuns(
	shape: RunShape,
	list: readonly unknown[],
	orphans: Orphans,
	bridge: readonly JsonObject[] = [],
): unknown[] {
	const sent: unknown[] = [];
	let held: JsonObject[] = [];
	let lastIsResult = false;
	const release = () => {
		if (held.length > 0) sent.push(...(lastIsResult ? bridge : []), { role: "user", content: held });
		held = [];
	};
	for (const [index, item] of (list as readonly JsonObject[]).entries()) {
		if (orphans.has(index)) {
			held.push(...shape.toContent(item));
			continue;
		}
		const isResult = shape.isResult(item);
		if (!isResult) release();
		sent.push(item);
		lastIsResult = isResult;
	}
	release();
	return sent;
}
