/** A plan between the first request that carries it and its context edits on the branch. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { type SessionBoundaryDraft, SessionManager } from "@earendil-works/pi-coding-agent";
import { Carried } from "../../src-ts/carry.ts";
import { keyOf } from "../../src-ts/view.ts";
import { result, user } from "./messages.ts";

const LONG = "a long line of output\n".repeat(100);

/** A session with two results to fold, and a plan that folds them. */
function carrying() {
	const session = SessionManager.inMemory("/");
	const view = [user(1), result(2, "c1", LONG), result(3, "c2", LONG)];
	const ids = view.map((message) => session.appendMessage(message as Parameters<typeof session.appendMessage>[0]));
	const placed = [1, 2].map((index) => ({
		entryId: ids[index]!,
		placeholder: `[folded by pi-zip, handle h${index}]`,
		units: LONG.length,
		images: 0,
		key: keyOf(view[index]!),
		occurrence: 0,
		hasTwins: false,
		index,
	}));
	const carried = new Carried();
	carried.adopt(placed, session);
	const edit = (index: number, text = placed[index - 1]!.placeholder) =>
		void session.appendContextEdit(ids[index]!, { content: [{ type: "text", text }] });
	/** Which messages of the view are placeholders; undefined where it is left alone. */
	const shown = (from = view) =>
		carried.apply(from)?.map((message) => JSON.stringify(message).includes("[folded by pi-zip"));
	/** The targets of the drafts, by their place in the view. */
	const targets = (others: SessionBoundaryDraft[] = []) =>
		carried
			.drafts(others, session)
			?.map((draft) => (draft.type === "context_edit" ? ids.indexOf(draft.targetId) : draft.type));
	return { session, view, ids, placed, carried, edit, shown, targets };
}

test("nothing is carried at first", () => {
	const carried = new Carried();
	assert.deepEqual([carried.active, carried.unpersisted], [false, false]);
	assert.equal(carried.apply([user(1)]), undefined);
	assert.equal(carried.drafts([], SessionManager.inMemory("/")), undefined);
});

test("a plan stands in each request until its edits are on the branch and Pi's view shows them", () => {
	const { carried, session, view, edit, shown } = carrying();
	assert.deepEqual(shown(), [false, true, true]);
	const persisted = carried.apply(view)!;
	edit(1);
	edit(2);
	carried.look(session);
	assert.equal(carried.unpersisted, false);
	assert.deepEqual(shown(), [false, true, true], "Pi's view may be older than the branch");
	assert.equal(carried.apply(persisted), undefined);
	assert.equal(carried.active, false);
});

test("what stands in view but is not on the branch is carried on", () => {
	const { carried, view } = carrying();
	assert.equal(carried.apply(carried.apply(view)!), undefined);
	assert.equal(carried.active, true);
});

test("drafts stand behind those of others, for what is not persisted yet", () => {
	const { session, ids, placed, carried, edit, targets } = carrying();
	assert.deepEqual(targets([{ type: "custom", customType: "theirs" }]), ["custom", 1, 2]);
	edit(1);
	assert.deepEqual(targets(), [2]);
	assert.deepEqual(carried.drafts([], session)?.[0], {
		type: "context_edit",
		targetId: ids[2],
		replacement: { content: [{ type: "text", text: placed[1]!.placeholder }] },
	});
	session.branch(ids[1]!);
	assert.deepEqual(targets(), undefined, "the other is not on this branch");
});

test("an entry that somebody else edits is theirs: as a draft of the same boundary, and on the branch", () => {
	const { session, ids, carried, edit, shown, targets } = carrying();
	const theirs: SessionBoundaryDraft = { type: "context_edit", targetId: ids[1]!, replacement: { content: "theirs" } };
	assert.deepEqual(targets([theirs]), [1, 2]);
	assert.deepEqual(carried.drafts([theirs], session)?.[0], theirs);
	edit(1, "theirs");
	carried.look(session);
	assert.deepEqual(shown(), [false, false, true]);
	edit(2);
	edit(2, "theirs");
	carried.look(session);
	assert.equal(shown(), undefined);
});

test("edits of other entries, and entries that are no edits, say nothing", () => {
	const { session, edit, targets } = carrying();
	edit(0, "[folded by pi-zip");
	session.appendCustomEntry("theirs");
	assert.deepEqual(targets(), [1, 2]);
});

test("a plan that no request has carried is let go after a failure, one that was sent is kept", () => {
	const unsent = carrying();
	unsent.carried.dropUnsent();
	assert.equal(unsent.carried.active, false);
	const { carried, view } = carrying();
	carried.apply(view);
	carried.dropUnsent();
	assert.equal(carried.active, true);
	carried.drop();
	assert.equal(carried.active, false);
});
