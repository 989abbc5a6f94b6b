/** The user takes folds back in real Pi: on the terminal from a list, and in one command. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { PI_ZIP } from "../host/home.ts";
import { edits, readEntries } from "../host/session-file.ts";
import { AWAY, atWork, coldReturn, placeholders, promptOf } from "./work.ts";

const extensions = [PI_ZIP];
const TASKS = 6;
const TITLE = /(\d+) outputs? folded, \d+ large in view/;
const DOWN = "\x1b[B";
const ESCAPE = "\x1b";

test("on the terminal a fold is found by typing, its original is paged, and it is unfolded", () =>
	atWork({}, async (stage) => {
		const pi = stage.rpc({ extensions });
		await coldReturn(stage, pi, TASKS);
		const session = await pi.sessionFile();
		await pi.close();
		await stage.advance(AWAY);
		const terminal = stage.terminal({ extensions, session }, 120, 40);
		await terminal.until((screen) => screen.includes(`Task ${TASKS} is done.`));
		// The first Enter takes the completion.
		await terminal.submit("/zip folds");
		terminal.type("\r");
		const listed = await terminal.until((screen) => TITLE.test(screen) && screen.includes("type to filter"));
		terminal.type("bash 131");
		const filtered = await terminal.until((screen) => screen.includes("1 of 1 ·"));
		assert.match(filtered, /→ +[\d.]+K? +bash sh report\.sh 10 \d+ · \d+ requests ago · folded/);
		terminal.type("\r");
		await terminal.until((screen) => screen.includes("Show the original"));
		terminal.type("\r");
		const page = await terminal.until((screen) => screen.includes("page keys to move"));
		assert.match(page, /TAP version 14, suite 10/);
		terminal.type(" ");
		await terminal.until((screen) => !screen.includes("TAP version 14, suite 10"));
		terminal.type(ESCAPE);
		await terminal.until((screen) => screen.includes("type to filter"));
		terminal.type("bash 131");
		await terminal.until((screen) => screen.includes("1 of 1 ·"));
		terminal.type("\r");
		await terminal.until((screen) => screen.includes("Show the original"));
		terminal.type(DOWN);
		terminal.type("\r");
		const left = Number(TITLE.exec(listed)?.[1]) - 1;
		await terminal.until((screen) => TITLE.exec(screen)?.[1] === String(left));
		terminal.type(ESCAPE);
		await terminal.until((screen) => screen.includes("1 output unfolded: in view again with the next request"));
		await terminal.close();

		const again = stage.rpc({ extensions, session });
		await again.run("/zip off");
		const from = stage.server.main.length;
		await again.run(promptOf(TASKS + 1));
		const requests = stage.server.main.slice(from);
		assert.deepEqual(
			requests.map((request) => placeholders(request).length),
			requests.map(() => left),
		);
		assert.ok(requests.every(({ blocks }) => blocks.some(({ text }) => /suite 10(?:\\n|\n)ok 1 /.test(text))));
		const back = edits(readEntries(session)).filter((entry) => !JSON.stringify(entry).includes("[folded by pi-zip"));
		assert.equal(back.length, 1, "persisted once");
		assert.deepEqual(again.extensionErrors, []);
		assert.deepEqual(stage.server.refused, []);
	}));
