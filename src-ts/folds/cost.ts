/**
 * What a change of the view by the user costs while the cache is warm, against leaving it: in a sentence, before it is made.
 */

import type { Status } from "../asked.ts";
import { lengthOf } from "../content.ts";
import { dollars, tokens } from "../format.ts";
import { CHARACTERS_A_TOKEN, type ExtensionContext, type SessionEntry } from "../host.ts";
import { costOfRewrite } from "../situation.ts";

type Session = ExtensionContext["sessionManager"];

export interface Change {
	/** Real tokens that the view has more for it. */
	readonly added: number;
	/** Real tokens of it that the cache still gives. */
	readonly read: number;
}

/** Real tokens that the view has more once these entries stand in it as they were. */
export function addedBy(session: Session, entries: readonly SessionEntry[], factor: number): number {
	const ids = new Set(entries.map(({ id }) => id));
	let units = 0;
	for (const { sourceEntry, messages } of session.buildSessionProjection().entries) {
		if (!ids.has(sourceEntry.id) || sourceEntry.type !== "message" || !("content" in sourceEntry.message)) continue;
		units += lengthOf(sourceEntry.message.content) - lengthOf((messages[0] as { content?: unknown })?.content);
	}
	return Math.round((units / CHARACTERS_A_TOKEN) * factor);
}

/** `change` may fail with the core. */
export function costLine(ctx: ExtensionContext, status: Status | undefined, change: () => Change): string {
	try {
		if (!status) throw new Error("the core failed");
		const { added, read } = change();
		const { context, cache } = status;
		const after = Math.max(0, context + added);
		const price = costOfRewrite(ctx, { before: context, after, read, cache });
		const more = price > 0 ? `: about ${dollars(price)} more than leaving it` : "";
		const rewrite = Math.max(0, Math.round(after - read));
		return `The prompt cache is warm, and the next request writes ${tokens(rewrite)} tokens again${more}.`;
	} catch {
		return "What it costs cannot be told now.";
	}
}
