/** Entries are found in a view by what messages keep, and placeholders stand where the original stood, nowhere else. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message } from "../../src-ts/host.ts";
import { align, keyOf, type Placed, place, resultsIn } from "../../src-ts/view.ts";
import { answer, projection, result, user } from "./messages.ts";

const LONG = "a long line of output\n".repeat(100);
const ORIGINAL = [
	user(1),
	answer(2, "go", "c1", "c2"),
	result(3, "c1", LONG),
	result(3, "c2", "short"),
	answer(4, "so"),
];

/** The view with one message changed, left out (`undefined`), or something put in front of it. */
function changed(index: number, ...instead: Message[]): Message[] {
	return ORIGINAL.toSpliced(index, 1, ...instead);
}

const SEEN: [name: string, view: Message[], expected: number[] | string][] = [
	["as it is", structuredClone(ORIGINAL), [0, 1, 2, 3, 4]],
	["a message behind", [...ORIGINAL, user(9, "a reminder")], [0, 1, 2, 3, 4]],
	["a message in between", changed(2, user(9, "a reminder"), ORIGINAL[2]!), [0, 1, 3, 4, 5]],
	["another prompt text", changed(0, user(1, "something else")), [0, 1, 2, 3, 4]],
	["no prompt", changed(0), [-1, 0, 1, 2, 3]],
	["no result", changed(3), "missing toolResult e3"],
	["no answer", changed(4), "missing assistant e4"],
	["a shorter result", changed(2, result(3, "c1", "cut")), "shortened toolResult e2"],
	["a longer result", changed(2, result(3, "c1", `${LONG}!`)), "replaced toolResult e2"],
	[
		"a result of the same length",
		changed(2, result(3, "c1", LONG.replaceAll("output", "OUTPUT"))),
		"replaced toolResult e2",
	],
	["another short result", changed(3, result(3, "c2", "shirt")), "replaced toolResult e3"],
	["fewer blocks", changed(2, result(3, "c1")), "shortened toolResult e2"],
	["more blocks", changed(2, result(3, "c1", LONG, "x")), "replaced toolResult e2"],
	["another answer", changed(4, answer(4, "no")), "replaced assistant e4"],
	["another call in an answer", changed(1, answer(2, "go", "c1", "c3")), "replaced assistant e1"],
	["results in another order", changed(2, ORIGINAL[3]!, ORIGINAL[2]!).toSpliced(4, 1), "missing toolResult e3"],
];

for (const [name, view, expected] of SEEN) {
	test(`a view is aligned with the projection: ${name}`, () => {
		const found = align(projection(ORIGINAL), view);
		const told =
			"change" in found ? `${found.change.kind} ${found.change.role} ${found.change.entryId}` : [...found.positions];
		assert.deepEqual(told, expected);
	});
}

const PLACEHOLDER = "[folded by pi-zip, handle h]";

function fold(index: number, view: readonly Message[] = ORIGINAL, units = LONG.length): Placed {
	return { entryId: `e${index}`, placeholder: PLACEHOLDER, units, images: 0, ...resultsIn(view)(index)!, index };
}

const folded = { ...ORIGINAL[2]!, content: [{ type: "text" as const, text: PLACEHOLDER }] } as Message;

test("a placeholder takes the original's place, and every other message is the very same object", () => {
	const before = structuredClone(ORIGINAL);
	const { view, standing } = place(ORIGINAL, [fold(2)]);
	assert.deepEqual(view, changed(2, folded));
	assert.ok(view.every((message, index) => index === 2 || message === ORIGINAL[index]));
	assert.equal(standing, false);
	assert.deepEqual(ORIGINAL, before, "the view that came in is not touched");
});

test("where a placeholder stands already nothing is done", () => {
	const persisted = changed(2, folded);
	const { view, standing } = place(persisted, [fold(2)]);
	assert.deepEqual(view, persisted);
	assert.equal(standing, true);
});

test("a text that is not the original is left to whoever wrote it", () => {
	const { view } = place(changed(2, result(3, "c1", "theirs")), [fold(2)]);
	assert.deepEqual(view, changed(2, result(3, "c1", "theirs")));
});

test("a result that has moved is found again, one that is gone is left out", () => {
	const moved = [user(0, "new"), ...ORIGINAL];
	const placed = fold(2);
	assert.deepEqual(place(moved, [placed]).view[3], folded);
	assert.equal(placed.index, 3, "so that the next request finds it at once");
	assert.deepEqual(place(changed(2), [fold(2)]).view, changed(2));
});

test("results with one id and one time are told apart by their order", () => {
	const twins = [user(1), result(3, "c1", LONG), result(3, "c1", LONG)];
	const key = keyOf(twins[1]!);
	assert.deepEqual(
		twins.map((_, index) => resultsIn(twins)(index)),
		[undefined, { key, occurrence: 0, hasTwins: true }, { key, occurrence: 1, hasTwins: true }],
	);
	const second = fold(2, twins);
	const { view } = place([user(0), ...twins], [second]);
	assert.equal(view[2], twins[1]);
	assert.deepEqual(view[3], folded);
});
