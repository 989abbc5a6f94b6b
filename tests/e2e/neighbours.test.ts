/** Other extensions on the same session. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { PI_ZIP } from "../host/home.ts";
import { edits, readEntries } from "../host/session-file.ts";
import { CLAUDE } from "../host/stage.ts";
import { conversation } from "../server/script.ts";
import { REMINDER } from "./extensions/reminder.ts";
import {
	AWAY,
	assertPrefixes,
	atWork,
	CHEAP_READS,
	coldReturn,
	exchange,
	foldedTexts,
	placeholders,
	promptOf,
	runTasks,
	view,
} from "./work.ts";

const extension = (name: string): string => fileURLToPath(new URL(`extensions/${name}.ts`, import.meta.url));
const WARM = 12;

for (const [order, extensions] of [
	["in front of", [extension("reminder"), PI_ZIP]],
	["behind", [PI_ZIP, extension("reminder")]],
] as [string, string[]][]) {
	test(`a reminder on each request, loaded ${order} pi-zip, is no reason not to fold`, () =>
		atWork({}, async (stage) => {
			const pi = stage.rpc({ extensions });
			await coldReturn(stage, pi);
			await pi.run(promptOf(4));
			const first = stage.server.main[WARM]!;
			assert.equal(placeholders(first).length, 4);
			assert.ok(view(first).at(-1)?.includes(REMINDER));
			assert.equal(foldedTexts(readEntries(await pi.sessionFile())).size, 4);
			assert.equal(pi.notices.length, 1, pi.notices.join("\n"));
			assert.deepEqual(stage.server.refused, []);
		}));
}

test("an extension that shortens old results makes folding pause, with one notice", () =>
	atWork({}, async (stage) => {
		const pi = stage.rpc({ extensions: [extension("shortener"), PI_ZIP] });
		await coldReturn(stage, pi);
		await stage.advance(AWAY);
		await pi.run(promptOf(4));
		assert.equal(stage.server.main.flatMap(placeholders).length, 0);
		assert.equal(edits(readEntries(await pi.sessionFile())).length, 0);
		assert.equal(pi.notices.length, 1, pi.notices.join("\n"));
		assert.match(pi.notices[0] ?? "", /paus/i);
		assert.deepEqual(stage.server.refused, []);
	}));

for (const [order, sort] of [
	["behind", (names: string[]) => names],
	["in front of", (names: string[]) => names.toReversed()],
] as [string, (names: string[]) => string[]][]) {
	test(`edits voided by an invalid draft of an extension ${order} pi-zip are carried until they are committed`, () =>
		atWork(
			{
				script: conversation(Array.from({ length: 5 }, (_, n) => exchange(n, n < 3 ? undefined : 4))),
				models: [{ ...CLAUDE, prices: CHEAP_READS }],
			},
			async (stage) => {
				const pi = stage.rpc({ extensions: sort([PI_ZIP, extension("invalid-draft")]) });
				await runTasks(pi, 0, 3);
				await stage.advance(AWAY);
				await pi.run(promptOf(3));
				await pi.run(promptOf(4));
				assert.equal(placeholders(stage.server.main[WARM]!).length, 4);
				assertPrefixes(stage.server.main, [WARM]);
				assert.equal(foldedTexts(readEntries(await pi.sessionFile())).size, 4);
				assert.ok(pi.extensionErrors.length > 0, "the draft was refused by Pi");
			},
		));
}
