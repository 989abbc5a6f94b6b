/** `/zip report` and `/zip stats` while a long session is replayed: shown to be at work, and stopped by Esc. */
import assert from "node:assert/strict";
import { appendFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { PI_ZIP } from "../host/home.ts";
import { readEntries } from "../host/session-file.ts";
import { atWork, promptOf, runTasks } from "./work.ts";

/** So many that no machine has replayed them before a key is pressed. */
const ANSWERS = 6_000;

/** Makes the file longer behind the back of the Pi that has opened it. */
function prolong(session: string): void {
	const entries = readEntries(session);
	const answer = entries.findLast(({ message }) => message?.role === "assistant");
	let parentId = entries.at(-1)?.id;
	const lines = Array.from({ length: ANSWERS }, (_, index) => {
		const line = JSON.stringify({ ...answer, id: `more-${index}`, parentId });
		parentId = `more-${index}`;
		return `${line}\n`;
	});
	appendFileSync(session, lines.join(""));
}

test("Esc stops a replay, nothing is written, and Pi goes on", () =>
	atWork({}, async (stage) => {
		const pi = stage.rpc({ extensions: [PI_ZIP] });
		await runTasks(pi, 0, 1);
		const session = await pi.sessionFile();
		await pi.close();
		const terminal = stage.terminal({ extensions: [PI_ZIP], session, env: { TMPDIR: stage.home.root } }, 120, 50);
		await terminal.until((screen) => screen.includes("Task 0 is done."));
		prolong(session);
		for (const [command, said] of [
			["/zip report", /pi-zip · stopped/],
			["/zip stats", /bill: stopped/],
		] as const) {
			await terminal.submit(command);
			await terminal.until((screen) => screen.includes("Replaying this session"));
			terminal.type("\x1b");
			const screen = await terminal.until((shown) => said.test(shown));
			assert.doesNotMatch(screen, /Replaying this session/);
		}
		assert.deepEqual(
			readdirSync(stage.home.root).filter((name) => name.endsWith(".html")),
			[],
		);
		await terminal.submit(promptOf(1));
		await terminal.until((screen) => screen.includes("Task 1 is done."));
	}));
