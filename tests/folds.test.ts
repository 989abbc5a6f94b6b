/** Folds are taken back: at once in the session, with the next request in view, and for good. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { clock } from "./world/clock.ts";
import { faults } from "./world/faults.ts";
import { LIFETIME } from "./world/model.ts";
import { folds, inWorld, persisted, type World } from "./world/pi.ts";
import { taskPrompts, testRun } from "./world/tasks.ts";
import { voiding } from "./world/voiding.ts";

const TASKS = 8;

/** Some tasks, a cold return that folds, and a warm cache behind it. */
async function folded(world: World): Promise<void> {
	await taskPrompts(world, TASKS);
	clock.advance(LIFETIME);
	await world.prompt("Back again.", [{ text: "Here." }]);
	assert.ok(folds(world.last).size > 1);
}

const twoRequests = () => [{ text: "I look.", calls: [testRun(90)] }, { text: "Done." }];
const said = ({ notices }: World) => notices.at(-1) ?? "";
/** Our edits that put an original back. */
const restored = (world: World) =>
	world.manager
		.getBranch()
		.filter((entry) => entry.type === "context_edit" && !JSON.stringify(entry).includes("[folded"));

test("what is unfolded shows in the next request as plain Pi has it, is persisted at its end, and a restart changes no byte", async () => {
	const views: (readonly string[])[] = [];
	for (const restarts of [false, true]) {
		await inWorld({}, async (world) => {
			await folded(world);
			const count = persisted(world).size;
			await world.command("/zip unfold all");
			assert.equal(world.asked.length, 1);
			assert.match(world.asked[0]!, /cache is warm, and the next request writes \d.* tokens again/);
			assert.match(said(world), new RegExp(`${count} outputs unfolded`));
			if (restarts) await world.restart();
			const from = world.requests.length;
			await world.prompt("Go on.", twoRequests());
			const [first, second] = world.requests.slice(from);
			assert.deepEqual(first!.view, first!.plain);
			assert.deepEqual(second!.view, second!.plain);
			assert.deepEqual(second!.view.slice(0, first!.view.length), first!.view);
			assert.equal(restored(world).length, count);
			await world.restart();
			await world.prompt("And on.", []);
			assert.deepEqual(world.last.view.slice(0, second!.view.length), second!.view);
			assert.equal(restored(world).length, count, "persisted once");
			views.push(first!.view);

			const kept = new Set(restored(world).map((entry) => (entry as { targetId: string }).targetId));
			await taskPrompts(world, 3, 40);
			clock.advance(LIFETIME);
			await world.prompt("Back once more.", []);
			assert.ok(folds(world.last).size > 0, "others are folded");
			assert.ok(
				[...folds(world.last).keys()].every((id) => !kept.has(id)),
				"what was unfolded is not folded again",
			);
			assert.deepEqual(world.errors, []);
		});
	}
	const texts = views.map((view) => view.map((message) => JSON.stringify(JSON.parse(message).content)));
	assert.deepEqual(texts[0], texts[1]);
});

test("drafts that Pi voids leave it unfolded in view until it takes them", async () => {
	const other = voiding();
	await inWorld({ behind: [other.factory] }, async (world) => {
		await folded(world);
		await world.command("/zip unfold all");
		other.times = 1;
		const from = world.requests.length;
		await world.prompt("Go on.", twoRequests());
		for (const { view, plain } of world.requests.slice(from)) assert.deepEqual(view, plain);
		assert.ok(restored(world).length > 0);
	});
});

test("what the user does not agree to is left", async () => {
	await inWorld({}, async (world) => {
		await folded(world);
		const before = world.manager.getEntries().length;
		world.agrees = false;
		await world.command("/zip unfold all");
		assert.match(said(world), /left as it is/);
		assert.equal(world.manager.getEntries().length, before);
	});
});

test("on a cold cache nothing is asked", async () => {
	await inWorld({}, async (world) => {
		await folded(world);
		clock.advance(LIFETIME);
		await world.command("/zip unfold all");
		assert.deepEqual(world.asked, []);
		assert.match(said(world), /unfolded/);
	});
});

test("one fold is taken back from the list, the last plan as a whole, and an output in view is pinned", async () => {
	await inWorld({}, async (world) => {
		await folded(world);
		const all = persisted(world).size;
		world.picks.push("folded", "Unfold");
		await world.command("/zip folds");
		await world.prompt("Go on.", []);
		assert.equal(folds(world.last).size, all - 1);
		world.picks.push("folded", "Undo the whole plan");
		await world.command("/zip folds");
		await world.prompt("And on.", []);
		assert.equal(folds(world.last).size, 0);
	});
	await inWorld({}, async (world) => {
		await taskPrompts(world, 4);
		const first = world.manager
			.getBranch()
			.find(({ type, ...entry }) => JSON.stringify(entry).includes('"toolResult"'));
		const results = world.manager.getBranch().filter((entry) => JSON.stringify(entry).includes('"role":"toolResult"'));
		assert.ok(first);
		for (let left = results.length; left > 0; left -= 1) {
			world.picks.push("in view", "Pin");
		}
		await world.command("/zip folds");
		assert.match(said(world), /is never folded/);
		clock.advance(LIFETIME);
		await world.prompt("Back again.", []);
		assert.equal(folds(world.last).size, 0);
		assert.ok(world.last.untouched);
		assert.deepEqual(world.errors, []);
	});
});

test("what was pinned or unfolded is listed, and folded again once the user lets go of it", async () => {
	await inWorld({}, async (world) => {
		await taskPrompts(world, 4);
		const results = () =>
			world.manager.getBranch().filter((entry) => JSON.stringify(entry).includes('"role":"toolResult"'));
		const count = results().length;
		world.picks.push(...results().flatMap(() => ["in view", "Pin"]));
		await world.command("/zip folds");
		world.picks.push("7 requests ago", "Unpin");
		await world.command("/zip folds");
		assert.match(said(world), /may be folded again/);
		clock.advance(LIFETIME);
		await world.prompt("Back again.", []);
		assert.equal(folds(world.last).size, 1, "the one that was let go of");
		const before = world.last.view;

		clock.advance(LIFETIME);
		await world.command("/zip unfold all");
		world.picks.push("unfolded with the next request", "Unpin");
		await world.command("/zip folds");
		assert.match(said(world), /unfolded: in view again/, "nothing is let go of before Pi has it");
		await world.restart();
		await world.prompt("Go on.", []);
		assert.deepEqual(world.last.view, world.last.plain);
		world.picks.push("pinned", `Unpin all that is pinned (${count} outputs)`);
		await world.command("/zip folds");
		assert.match(said(world), new RegExp(`${count} outputs may be folded again`));
		await world.restart();
		clock.advance(LIFETIME);
		await world.prompt("Back once more.", []);
		assert.ok(folds(world.last).size >= count - 1, `${folds(world.last).size} of ${count}`);
		assert.notDeepEqual(world.last.view.slice(0, before.length), before);
		assert.deepEqual(persisted(world), folds(world.last));
		assert.deepEqual(world.errors, []);
	});
});

test("fold now does with the next prompt what a cold return would do, once, and says what it costs", async () => {
	await inWorld({}, async (world) => {
		await taskPrompts(world, 4);
		await world.command("/zip fold now");
		assert.match(world.asked[0] ?? "", /cache is warm, and the next request writes/);
		assert.match(said(world), /folds \d outputs? .*with the next prompt/);
		await world.command("/zip fold now");
		assert.match(said(world), /asked for already/);
		await world.restart();
		await world.prompt("Go on.", twoRequests());
		const count = folds(world.last).size;
		assert.ok(count > 0);
		assert.equal(persisted(world).size, count);
		assert.match(world.notices.join("\n"), /folded · as you asked/);
		await world.prompt("And on.", []);
		assert.equal(folds(world.last).size, count, "once");
		assert.deepEqual(world.errors, []);
	});
});

test("what a compaction has taken out of view is not offered to be unfolded", async () => {
	await inWorld({}, async (world) => {
		await folded(world);
		const kept = world.manager
			.getBranch()
			.findLast((entry) => entry.type === "message" && entry.message.role === "user");
		world.manager.appendCompaction("All of it.", kept?.id ?? "", 100);
		await world.restart();
		await world.command("/zip unfold all");
		assert.match(said(world), /nothing is folded/);
		assert.deepEqual(world.asked, []);
	});
});

test("a move to before the undoing shows what was folded then", async () => {
	await inWorld({}, async (world) => {
		await folded(world);
		const leaf = world.manager.getLeafId();
		const before = world.last.view;
		await world.command("/zip unfold all");
		await world.prompt("Go on.", []);
		await world.session.navigateTree(leaf ?? "");
		await world.prompt("Otherwise.", []);
		assert.deepEqual(world.last.view.slice(0, before.length), before);
	});
});

test("folds are taken back though the core has failed for good", async () => {
	await inWorld({}, async (world) => {
		await folded(world);
		faults.arm("core_sync", Number.POSITIVE_INFINITY);
		for (let number = 0; number < 3; number += 1) await world.prompt("Go on.", []);
		await world.command("/zip unfold all");
		assert.match(world.asked.at(-1) ?? "", /cannot be told/);
		await world.command("/zip fold now");
		assert.match(said(world), /nothing is folded: switched off after repeated failures/);
		await world.prompt("Back.", []);
		assert.deepEqual(world.last.view, world.last.plain);
		faults.disarm();
		assert.deepEqual(world.errors, []);
	});
});
