/** The fixed part over a session as Pi keeps it: what it counts as left out. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { SessionManager } from "@earendil-works/pi-coding-agent";
import { Engine } from "../../src-ts/core.ts";
import { readSettings } from "../../src-ts/settings.ts";
import { askCore } from "../../src-ts/summary/summaries.ts";

const said = (text: string) => ({ type: "text", text });
const call = (id: string) => ({ type: "toolCall", id, name: "bash", arguments: { command: `true ${id}` } });

/** The fixed part of a session of one prompt and these answers, the result of each call behind it. */
function fixed(answers: (ReturnType<typeof said> | ReturnType<typeof call>)[][]): string {
	const session = SessionManager.inMemory("/");
	let at = 0;
	const add = (message: object) => session.appendMessage({ ...message, timestamp: ++at } as never);
	add({ role: "user", content: "Go on." });
	for (const content of answers) {
		add({ role: "assistant", content, stopReason: "stop", provider: "p", model: "m" });
		for (const block of content)
			if (block.type === "toolCall" && "id" in block)
				add({ role: "toolResult", toolCallId: block.id, toolName: "bash", content: [said("done")], isError: false });
	}
	const engine = new Engine(readSettings());
	return engine.with(session, (core, feed) =>
		askCore(core, feed, { from: 0, until: feed.length, fresh: 0, units: 100_000 }),
	).fixed;
}

test("answers that only call are not counted as left out", () => {
	const text = fixed([[call("1")], [call("2")], [said("It is done.")]]);
	assert.match(text, /## Last answers, verbatim\n\[turn 1\]\nIt is done\.\n/);
});

test("what was said between calls is", () => {
	const text = fixed([[said("First this."), call("1")], [call("2")], [said("It is done.")]]);
	assert.match(text, /## Last answers, verbatim \(1 left out\)\n\[turn 1\]\nIt is done\.\n/);
});
