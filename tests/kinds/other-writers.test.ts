/** Sessions that others write to as well: another extension, another process, Pi itself. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { SessionManager } from "@earendil-works/pi-coding-agent";
import { clock } from "../world/clock.ts";
import { folds, type Options, persisted } from "../world/pi.ts";
import { GO_ON, goOn } from "./go-on.ts";
import { assertExact, assertFair, assertQuiet, assertRecalled } from "./judge.ts";
import { SessionFile, text } from "./session-file.ts";

test("a target edited by another extension, then by us, then compacted", async () => {
	const session = new SessionFile("edited twice").turn("1").turn("2").edits("e1", "r2", "Theirs.");
	session.edits("e2", "r2", text("[folded by pi-zip] bash · handle x")).turn("3").compacts("k1", "u2").turn("4");
	await goOn(session.open(), async (world) => {
		assertQuiet(world);
		assert.deepEqual(await assertRecalled(world), ["r2", "r3"]);
		for (const id of ["r1"]) await assertExact(world.manager, id);
		assert.ok(world.last.view.some((message) => message.includes("[folded by pi-zip] bash · handle x")));
		assert.ok(!world.last.view.some((message) => message.includes("Theirs.") || message.includes("r2: line")));
	});
});

test("a target that we folded, another extension edited, and a compaction cut off", async () => {
	await goOn(new SessionFile("folded and cut").turn("1").turn("2").turn("3").open(), async (world) => {
		assert.deepEqual([...folds(world.last).keys()], ["r1", "r2"]);
		world.manager.appendContextEdit("r1", { content: "Theirs." });
		world.manager.appendCompaction("Summary", "u3", 1);
		clock.advance(3_600_000);
		await world.prompt("Go on.", GO_ON);
		assertQuiet(world);
		assert.deepEqual([...folds(world.last).keys()], ["r3"]);
		for (const id of ["r1", "r2", "r3"]) await assertExact(world.manager, id);
	});
});

test("two processes on one session file", async () => {
	const file = new SessionFile("two processes").turn("1").turn("2").turn("3");
	const first = file.open();
	const second = SessionManager.open(file.path);
	await goOn(first, async (one) => {
		await goOn(second, async (other) => {
			for (const world of [one, other, one]) {
				clock.advance(3_600_000);
				await world.prompt("Go on.", GO_ON);
				assertQuiet(world);
				assertFair(world.last);
				await assertRecalled(world);
			}
		});
	});
	// Both wrote their own branch from the same entry on; whoever opens the file next goes on at the last line.
	const third = SessionManager.open(file.path);
	await goOn(third, async (world) => {
		assertQuiet(world);
		assertFair(world.last);
		for (const id of ["r1", "r2", "r3"]) await assertExact(third, id);
		const targets = world.manager
			.getBranch()
			.flatMap((entry) => (entry.type === "context_edit" ? [entry.targetId] : []));
		assert.equal(new Set(targets).size, targets.length, "an entry was folded twice on one branch");
	});
});

test("nothing of ours makes a stale branch the current one", async () => {
	const file = new SessionFile("stale leaf").turn("1").turn("2").turn("3");
	// Another program renamed the session and hung the entry on an old one.
	file.leaf = "z2";
	const session = file.entry("i1", { type: "session_info", name: "renamed" }).open();
	// Pi voids all that a boundary was to write where one draft is invalid, so our edits stay unwritten.
	const invalid = { type: "context_edit" as const, targetId: "nowhere", replacement: null };
	const voiding: Options = {
		behind: [
			(api) => {
				api.on("turn_end", (event) => ({ entries: [...event.entries, invalid] }));
				api.on("agent_before_settle", (event) => ({ entries: [...event.entries, invalid] }));
			},
		],
	};
	await goOn(
		session,
		async (world) => {
			assert.equal(world.last.branch.includes("r3"), false, "Pi goes on at the stale branch");
			assert.deepEqual([...folds(world.last).keys()], ["r1"]);
			assert.equal(persisted(world).size, 0);
			await world.session.navigateTree("z3");
			const entries = world.manager.getEntries().length;
			await new Promise((settle) => setTimeout(settle, 20));
			assert.equal(world.manager.getLeafId(), "z3");
			assert.equal(world.manager.getEntries().length, entries, "something was written after the move");
			world.errors.length = 0;
			await world.prompt("Go on here.", [{ text: "Yes." }]);
			for (const notice of world.notices) assert.doesNotMatch(notice, /failed|paused/);
			assert.equal(folds(world.last).size, 0, "a warm request of another branch carries the old plan");
		},
		voiding,
	);
});

test("nothing is written while Pi compacts", async () => {
	const session = new SessionFile("compacting")
		.turn("1")
		.turn("2")
		.compacts("k1", "z2")
		.returns("r0", "lost")
		.answers("z0");
	let written: string[] = [];
	const watching: Options = {
		settings: { compaction: { enabled: false, keepRecentTokens: 500 } },
		behind: [
			(api) => {
				api.on("session_before_compact", (_event, { sessionManager }) => {
					written = sessionManager.getEntries().map(({ id }) => id);
				});
			},
		],
	};
	await goOn(
		session.turn("3").turn("4").open(),
		async (world) => {
			await world.session.compact();
			const added = world.manager.getEntries().filter(({ id }) => !written.includes(id));
			assert.deepEqual(
				added.map(({ type }) => type),
				["compaction"],
			);
			await world.prompt("Go on.", GO_ON);
			assertQuiet(world);
			assertFair(world.last);
		},
		watching,
	);
});
