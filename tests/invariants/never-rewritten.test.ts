/**
 * I3: a request differs from what Pi would send in the contents of folded tool results, and in nothing else; the
 * session's own entries stay as they were.
 */

import assert from "node:assert/strict";
import { FOLDED } from "../world/plain.ts";
import { property } from "../world/seeds.ts";

type Loose = Record<string, unknown>;

/** Checks one message against Pi's. Returns whether it is folded. */
function compare(sent: string, plain: string): boolean {
	if (sent === plain) return false;
	const { content, ...rest } = JSON.parse(sent) as Loose;
	const { content: original, ...expected } = JSON.parse(plain) as Loose;
	assert.equal(rest.role, "toolResult", `a ${rest.role} message was changed`);
	assert.deepEqual(rest, expected);
	assert.ok(Array.isArray(original) && original.every(({ type }) => type === "text" || type === "image"));
	const [block, ...more] = content as Loose[];
	assert.deepEqual(more, []);
	assert.deepEqual(Object.keys(block!), ["type", "text"]);
	assert.ok(String(block!.text).startsWith(FOLDED), String(block!.text));
	return true;
}

/** The session's entries as they were first seen. */
let entries = new Map<string, string>();

property(
	"I3 never rewritten",
	10,
	{
		each({ manager, requests }) {
			if (requests.length <= 1) entries = new Map();
			for (const entry of manager.getEntries()) {
				const now = JSON.stringify(entry);
				assert.ok((entries.get(entry.id) ?? now) === now, `entry ${entry.id} was changed`);
				entries.set(entry.id, now);
			}
		},
	},
	({ requests, manager }) => {
		let folded = 0;
		for (const { view, plain } of requests) {
			assert.equal(view.length, plain.length);
			for (const [index, message] of view.entries()) folded += Number(compare(message, plain[index]!));
		}
		const ours = new Set(["pi-zip.fold", "pi-zip.state", "pi-zip.steering"]);
		const results = new Map(manager.getEntries().map((entry) => [entry.id, entry]));
		for (const entry of manager.getEntries()) {
			if (entry.type === "custom")
				assert.ok(ours.has(entry.customType) || entry.customType === "note", entry.customType);
			if (entry.type !== "context_edit" || !JSON.stringify(entry).includes(FOLDED)) continue;
			const target = results.get(entry.targetId);
			assert.ok(target?.type === "message" && target.message.role === "toolResult");
		}
		return folded;
	},
);
