/** Plain work for tests that need a session with something to fold: prompts with a few rounds of large outputs. */

import { SessionManager } from "@earendil-works/pi-coding-agent";
import { clock } from "./clock.ts";
import type { Answer, Call } from "./model.ts";
import type { World } from "./pi.ts";

/** Milliseconds between two prompts: the cache stays warm. */
const PAUSE = 20_000;

export function report(number: number, lines = 120): string {
	return Array.from({ length: lines }, (_, line) =>
		line === lines / 2
			? `✗ error: expectation ${number} failed at src/file${number}.ts:${line}`
			: `ok ${line} - a check of part ${number} that went well`,
	).join("\n");
}

export function testRun(number: number, during?: () => void): Call {
	return { id: `call${number}`, name: "bash", args: { command: "npm test" }, output: report(number), during };
}

export function task(number: number): Answer[] {
	return [{ text: "I run the tests.", calls: [testRun(number)] }, { text: `Task ${number} is done.` }];
}

export async function taskPrompts(world: World, count: number, from = 0): Promise<void> {
	for (let number = from; number < from + count; number += 1) {
		await world.prompt(`Task ${number}: see to it.`, task(number));
		clock.advance(PAUSE);
	}
}

/** A session in which a result answers a call that is not there. */
export function withOrphan(): SessionManager {
	clock.reset();
	const session = SessionManager.inMemory("/");
	session.appendMessage({ role: "user", content: "Recorded", timestamp: clock.now });
	session.appendMessage({
		role: "toolResult",
		toolCallId: "lost",
		toolName: "bash",
		content: [{ type: "text", text: "an orphan" }],
		isError: false,
		timestamp: clock.now,
	});
	return session;
}
