/**
 * I7: no request has a pairing fault that Pi's own would not have. Judged from the messages alone, in the order in which
 * they are sent, by a second implementation: ids may repeat, so each result takes the first open call of its id.
 */

import assert from "node:assert/strict";
import { folds } from "../world/pi.ts";
import { property } from "../world/seeds.ts";

interface Message {
	role: string;
	toolCallId?: string;
	stopReason?: string;
	content?: string | { type: string; id?: string }[];
}

/** Results without a call, and calls without a result, in order. */
function faults(messages: readonly string[]): string[] {
	const found: string[] = [];
	let open: string[] = [];
	const close = () => {
		found.push(...open.map((id) => `call ${id} has no result`));
		open = [];
	};
	for (const [index, json] of messages.entries()) {
		const { role, toolCallId = "", content, stopReason } = JSON.parse(json) as Message;
		if (role === "toolResult") {
			const at = open.indexOf(toolCallId);
			if (at < 0) found.push(`result ${toolCallId} at ${index} has no call`);
			else open.splice(at, 1);
		} else if (role !== "system") {
			close();
			const dropped = stopReason === "error" || stopReason === "aborted";
			if (role === "assistant" && !dropped && Array.isArray(content)) {
				open = content.flatMap((block) => (block.type === "toolCall" ? [block.id ?? ""] : []));
			}
		}
	}
	close();
	return found;
}

property("I7 paired", 12, {}, ({ requests }) => {
	let faulty = 0;
	for (const request of requests) {
		const own = faults(request.plain);
		assert.deepEqual(faults(request.view), own);
		if (own.length > 0 && folds(request).size > 0) faulty += 1;
	}
	return faulty;
});
