/** The user takes folds back in real Pi: on the terminal from a list, and in one command. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { PI_ZIP } from "../host/home.ts";
import { edits, readEntries } from "../host/session-file.ts";
import { CHAT, CLAUDE } from "../host/stage.ts";
import { AWAY, atWork, coldReturn, placeholders, promptOf } from "./work.ts";

const extensions = [PI_ZIP];
const TASKS = 6;
const TITLE = /(\d+) outputs? folded(?:, \d+ pinned)?, \d+ large in view/;
const UNDO = /Undo the whole plan that folded it \((\d+) outputs\)/;
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
		await terminal.submit("/zip folds");
		const listed = await terminal.until((screen) => TITLE.test(screen) && screen.includes("type to filter"));
		terminal.type("bash 131");
		const filtered = await terminal.until((screen) => screen.includes("1 of 1 ·"));
		assert.match(
			filtered,
			/→ +[\d.]+K? folded · bash sh report\.sh 10 \d+ · \d+ requests ago · with(?:in a run| a prompt)/,
		);
		terminal.type("\r");
		await terminal.until((screen) => screen.includes("Show the original"));
		terminal.type("\r");
		const page = await terminal.until((screen) => screen.includes("/ to search"));
		assert.match(page, /TAP version 14, suite 10/);
		terminal.type(" ");
		await terminal.until((screen) => !screen.includes("TAP version 14, suite 10"));
		terminal.type("/");
		terminal.type("SUITE 10");
		await terminal.until((screen) => screen.includes("/suite 10▏"));
		terminal.type("\r");
		await terminal.until((screen) => screen.includes("no further row holds"));
		terminal.type("N");
		await terminal.until((screen) => screen.includes("TAP version 14, suite 10"));
		terminal.type("G");
		await terminal.until((screen) => !screen.includes("TAP version 14, suite 10"));
		terminal.type(ESCAPE);
		// Filter and row are as they were.
		await terminal.until((screen) => screen.includes("1 of 1 ·") && /filter: bash 131/.test(screen));
		terminal.type("\r");
		await terminal.until((screen) => screen.includes("Show the original"));
		terminal.type(DOWN);
		terminal.type("\r");
		const left = Number(TITLE.exec(listed)?.[1]) - 1;
		await terminal.until((screen) => TITLE.exec(screen)?.[1] === String(left));
		terminal.type(ESCAPE);
		await terminal.until((screen) => screen.includes("esc to leave"));
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

test("on the terminal a plan is undone as a whole, with its cost said first, and an output is pinned and let go of", () =>
	atWork({}, async (stage) => {
		const pi = stage.rpc({ extensions });
		await coldReturn(stage, pi, TASKS);
		const session = await pi.sessionFile();
		await pi.close();
		const terminal = stage.terminal({ extensions, session }, 120, 40);
		await terminal.until((screen) => screen.includes(`Task ${TASKS} is done.`));
		const open = async () => {
			await terminal.submit("/zip folds");
			await terminal.until((screen) => TITLE.test(screen) && screen.includes("type to filter"));
		};
		await open();
		terminal.type("\r");
		const actions = await terminal.until((screen) => UNDO.test(screen));
		const count = Number(UNDO.exec(actions)?.[1]);
		assert.ok(count > 1);
		terminal.type(DOWN);
		terminal.type(DOWN);
		await terminal.until((screen) => screen.includes("→ Undo"));
		terminal.type("\r");
		const asked = await terminal.until((screen) => screen.includes(`Unfold ${count} outputs?`));
		assert.match(asked, /prompt cache is warm, and the next request writes [\d.]+K tokens\s+again: about \$\d/);
		terminal.type("\r");
		await terminal.until((screen) => screen.includes(`, ${count} pinned, `));
		terminal.type("in view");
		await terminal.until((screen) => / 1 of \d+ ·/.test(screen) && !/→.* pinned · /.test(screen));
		terminal.type("\r");
		await terminal.until((screen) => screen.includes("Pin: never fold it"));
		terminal.type(DOWN);
		terminal.type("\r");
		await terminal.until((screen) => screen.includes(`, ${count + 1} pinned, `));
		terminal.type(ESCAPE);
		await terminal.until((screen) => screen.includes("esc to leave"));
		// What waits to be unfolded stands behind it.
		terminal.type("pinned");
		await terminal.until((screen) => /→.* pinned · /.test(screen));
		terminal.type("\r");
		await terminal.until((screen) => screen.includes("Unpin: fold it again when that pays"));
		terminal.type(DOWN);
		terminal.type("\r");
		await terminal.until((screen) => screen.includes(`, ${count} pinned, `));
		terminal.type(ESCAPE);
		await terminal.until((screen) => screen.includes("esc to leave"));
		terminal.type(ESCAPE);
		await terminal.until((screen) => screen.includes("is never folded") && screen.includes("may be folded again"));
		await terminal.submit("/zip fold now");
		const cost = await terminal.until((screen) => /Fold \d+ outputs? \(|would fold nothing now/.test(screen));
		if (cost.includes("Fold ")) assert.match(cost, /the next request writes/);
		await terminal.close();
		assert.deepEqual(stage.server.refused, []);
	}));

for (const model of [CLAUDE, CHAT]) {
	const cache = model === CLAUDE ? ("explicit" as const) : ("automatic" as const);
	test(`what unfolding all costs is said about right beforehand, ${cache} cache`, () =>
		atWork({ models: [model], cache }, async (stage) => {
			const env: Record<string, string> = cache === "explicit" ? {} : { PI_ZIP_TTL_SECS: "300" };
			const pi = stage.rpc({ extensions, env });
			await coldReturn(stage, pi, TASKS);
			const session = await pi.sessionFile();
			await pi.close();
			const terminal = stage.terminal({ extensions, env, session }, 120, 40);
			await terminal.until((screen) => screen.includes(`Task ${TASKS} is done.`));
			await terminal.submit("/zip unfold all");
			const asked = await terminal.until((screen) => /again:\s+about\s+\$[\d.]+\s+more/.test(screen));
			const [, tokens, unit, price] = /writes\s+([\d.]+)(K?)\s+tokens\s+again:\s+about\s+\$([\d.]+)/.exec(asked) ?? [];
			terminal.type("\r");
			await terminal.until((screen) => screen.includes("unfolded: in view again"));
			const from = stage.server.main.length;
			const before = stage.server.main[from - 1]!.charge!;
			await terminal.submit(promptOf(TASKS + 1));
			await stage.server.received(({ main }) => main.length > from + 1);
			const { charge } = stage.server.main[from]!;
			const written = charge!.input + charge!.write;
			const said = Number(tokens) * (unit === "K" ? 1_000 : 1);
			assert.ok(Math.abs(said - written) <= 0.15 * written, `${said} said, ${written} written`);
			// Left as it was, the request would have read what the last one sent.
			const { read, input, write } = before;
			const left = (read + input + write) * 0.3e-6;
			const more = charge!.money - charge!.output * 15e-6 - left;
			assert.ok(Math.abs(Number(price) - more) <= 0.15 * more, `$${price} said, $${more.toFixed(4)} billed`);
			await terminal.close();
		}));
}
