/** Resume, fork, the session tree and compaction, around a fold. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { PI_ZIP } from "../host/home.ts";
import { readEntries } from "../host/session-file.ts";
import {
	AWAY,
	assertPrefixes,
	atWork,
	coldReturn,
	continues,
	foldedTexts,
	placeholders,
	promptOf,
	runTasks,
} from "./work.ts";

const extensions = [PI_ZIP];
const NAVIGATE = fileURLToPath(new URL("extensions/navigate.ts", import.meta.url));
const WARM = 12;
const REQUESTS = 4;

test("a resumed session sends what was in view, and folds on at its next cold return", () =>
	atWork({}, async (stage) => {
		const pi = stage.rpc({ extensions });
		await coldReturn(stage, pi);
		const session = await pi.sessionFile();
		assert.equal(await pi.close(), 0);
		await stage.advance(60);
		const again = stage.rpc({ extensions, session });
		await again.run(promptOf(4));
		assertPrefixes(stage.server.main, [WARM]);
		await stage.advance(AWAY);
		await again.run(promptOf(5));
		assert.equal(placeholders(stage.server.main[WARM + 2 * REQUESTS]!).length, 8);
		assert.deepEqual(stage.server.refused, []);
	}));

test("a session that plain Pi wrote is folded when it is opened cold", () =>
	atWork({}, async (stage) => {
		const plain = stage.rpc();
		await runTasks(plain, 0, 3);
		const session = await plain.sessionFile();
		await plain.close();
		await stage.advance(AWAY);
		const pi = stage.rpc({ extensions, session });
		await pi.run(promptOf(3));
		assert.equal(placeholders(stage.server.main[WARM]!).length, 4);
	}));

test("a session without a file is folded too", () =>
	atWork({}, async (stage) => {
		const pi = stage.rpc({ extensions, session: "none" });
		await coldReturn(stage, pi);
		await pi.run(promptOf(4));
		assert.equal(placeholders(stage.server.main[WARM]!).length, 4);
		assertPrefixes(stage.server.main, [WARM]);
	}));

test("a fork keeps the folds of its branch, and one from before them folds the same anew", () =>
	atWork({}, async (stage) => {
		const pi = stage.rpc({ extensions });
		await coldReturn(stage, pi);
		await pi.run(promptOf(4));
		const original = await pi.sessionFile();
		const { messages } = await pi.ask<{ messages: { entryId: string; text: string }[] }>("get_fork_messages");
		const fork = (task: number) =>
			pi.ask("fork", { entryId: messages.find(({ text }) => text === promptOf(task))!.entryId });
		await fork(4);
		assert.notEqual(await pi.sessionFile(), original);
		await pi.run(promptOf(5));
		const forked = stage.server.main[WARM + 2 * REQUESTS]!;
		assert.deepEqual(placeholders(forked), placeholders(stage.server.main[WARM]!));

		await pi.ask("switch_session", { sessionPath: original });
		await fork(3);
		assert.equal(foldedTexts(readEntries(await pi.sessionFile())).size, 0, "the edits came after this place");
		await pi.run(promptOf(6));
		const anew = stage.server.main[WARM + 3 * REQUESTS]!;
		assert.deepEqual(placeholders(anew), placeholders(stage.server.main[WARM]!));
		assert.deepEqual(stage.server.refused, []);
		assert.deepEqual(pi.extensionErrors, []);
	}));

test("a move in the tree to before the folds shows the originals; a cold return there folds again", () =>
	atWork({}, async (stage) => {
		const pi = stage.rpc({ extensions: [...extensions, NAVIGATE] });
		await runTasks(pi, 0, 3);
		const { leafId } = await pi.ask<{ leafId: string }>("get_entries");
		await stage.advance(AWAY);
		await pi.run(promptOf(3));
		await pi.run(`/goto ${leafId}`);
		await pi.run(promptOf(4));
		const moved = stage.server.main[WARM + REQUESTS]!;
		assert.ok(continues(moved, stage.server.main[WARM - 1]!), "the originals are in view again");
		await stage.advance(AWAY);
		await pi.run(promptOf(5));
		assert.equal(placeholders(stage.server.main[WARM + 2 * REQUESTS]!).length, 6);
		assert.deepEqual(stage.server.refused, []);
		assert.deepEqual(pi.extensionErrors, []);
	}));

test("Pi's compaction works after folds, and folding after a compaction", () =>
	atWork({ settings: { compaction: { keepRecentTokens: 3000 } } }, async (stage) => {
		const pi = stage.rpc({ extensions });
		await coldReturn(stage, pi);
		await pi.ask("compact");
		assert.ok(readEntries(await pi.sessionFile()).some(({ type }) => type === "compaction"));
		const position = stage.server.main.length;
		await runTasks(pi, 4, 6);
		await stage.advance(AWAY);
		await pi.run(promptOf(6));
		const first = stage.server.main[position + 2 * REQUESTS]!;
		assert.ok(placeholders(first).length >= 2, "task 4 is folded");
		assertPrefixes(stage.server.main.slice(position), [2 * REQUESTS]);
		assert.ok(foldedTexts(readEntries(await pi.sessionFile())).size >= 6);
		assert.deepEqual(stage.server.refused, []);
		assert.deepEqual(pi.extensionErrors, []);
	}));
