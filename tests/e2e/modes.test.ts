/** Print, JSON and terminal mode, and a tool list without the recall tool. RPC is what the other files use. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { PI_ZIP } from "../host/home.ts";
import { readEntries } from "../host/session-file.ts";
import type { Stage } from "../host/stage.ts";
import { DEFAULT_PRICES } from "../server/bill.ts";
import { conversation } from "../server/script.ts";
import { AWAY, atWork, exchange, exchanges, foldedTexts, placeholders, promptOf, runTasks } from "./work.ts";

const extensions = [PI_ZIP];
const WARM = 12;

/** A session of three tasks, left for longer than its cache lives. */
async function leftSession(stage: Stage): Promise<string> {
	const pi = stage.rpc({ extensions });
	await runTasks(pi, 0, 3);
	const session = await pi.sessionFile();
	await pi.close();
	await stage.advance(AWAY);
	return session;
}

function assertFolded(stage: Stage, session: string): void {
	assert.equal(placeholders(stage.server.main[WARM]!).length, 4);
	assert.equal(foldedTexts(readEntries(session)).size, 4);
	assert.deepEqual(stage.server.refused, []);
}

test("print mode folds, says nothing of it, and ends", () =>
	atWork({}, async (stage) => {
		const session = await leftSession(stage);
		const { code, stdout, stderr } = await stage.print(promptOf(3), { extensions, session });
		assert.equal(code, 0);
		assert.equal(stdout, "Task 3 is done.\n");
		assert.equal(stderr, "");
		assertFolded(stage, session);
	}));

test("JSON mode folds and its output stays JSON without a notice", () =>
	atWork({}, async (stage) => {
		const session = await leftSession(stage);
		const { code, stdout, stderr } = await stage.json(promptOf(3), { extensions, session });
		assert.equal(code, 0);
		assert.equal(stderr, "");
		const events = stdout
			.trimEnd()
			.split("\n")
			.map((line) => JSON.parse(line) as { type: string });
		assert.deepEqual(
			events.filter(({ type }) => type === "extension_ui_request" || type === "extension_error"),
			[],
		);
		assertFolded(stage, session);
	}));

test("the terminal shows the fold under the prompt before the answer comes", () => {
	const hanging = { prompt: promptOf(3), answers: [{ text: "An answer that never ends.", hang: true }] };
	return atWork({ script: conversation([...exchanges(3), hanging]) }, async (stage) => {
		const session = await leftSession(stage);
		const pi = stage.terminal({ extensions, session }, 80, 40);
		await pi.until((screen) => screen.includes("Task 2 is done."));
		await pi.submit(promptOf(3));
		await stage.server.hung(1);
		const told = (screen: string) => /\$(\S+) → \$(\S+) · 4 folded/.exec(screen.slice(screen.lastIndexOf(promptOf(3))));
		const [, before, after] = told(await pi.until((screen) => told(screen) !== null)) ?? [];
		const request = stage.server.main[WARM]!;
		assert.equal(placeholders(request).length, 4);
		const written = (request.size * DEFAULT_PRICES.write!) / 1e6;
		assert.ok(Math.abs(Number(after) / written - 1) < 0.1, `told of $${after}, written for $${written}`);
		assert.ok(Number(before) > 1.5 * Number(after), `${before} before`);
	});
});

test("the fold notice fits a terminal of 40 columns", () =>
	atWork({}, async (stage) => {
		const session = await leftSession(stage);
		const pi = stage.terminal({ extensions, session }, 40, 60);
		await pi.until((screen) => screen.includes("Task 2 is done."));
		await pi.submit("Task 3");
		await pi.until((screen) => screen.split("\n").some((line) => /→.*folded/.test(line)));
	}));

test("where a tool list leaves the recall out, only what can be read again is folded, and nothing promises a recall", () =>
	atWork({ script: conversation(Array.from({ length: 5 }, (_, n) => exchange(n, 3))) }, async (stage) => {
		const pi = stage.rpc({ extensions, tools: "read,bash" });
		await runTasks(pi, 0, 3);
		await stage.advance(AWAY);
		await pi.run(promptOf(3));
		const first = stage.server.main[12]!;
		// Of each task's report, slice and search, the report cannot be had again.
		assert.equal(placeholders(first).length, 4);
		assert.ok(!first.raw.includes("zip_recall"));
		assert.deepEqual(stage.server.refused, []);
	}));
