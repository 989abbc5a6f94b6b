/** Outputs at the limits, in a session file and through real Pi: folded without harm, and recalled unit by unit. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { folds, persisted } from "../world/pi.ts";
import { goOn } from "./go-on.ts";
import { assertExact, assertFair, assertQuiet, assertRecalled } from "./judge.ts";
import { SessionFile, text } from "./session-file.ts";

/** Text on which engines that backtrack take longer than anyone waits. */
const BACKTRACKING = `${"a".repeat(100_000)}!\n${"ab ".repeat(3_000)}`;

const OUTPUTS: { [name: string]: string } = {
	"one line of 2 MB": `{"k":"${"value ".repeat(340_000)}"}`,
	"200,000 lines": "x\n".repeat(200_000),
	"text that makes engines backtrack": BACKTRACKING,
	"nothing but line ends": "\r\n".repeat(5_000),
	"nothing but lone surrogates": "\ude00\ud83d".repeat(5_000),
	"zeros, escapes, separators and both line ends": "\u0000\u001b[31mred\u001b[0m\r\n\u2028x\n\ufeff".repeat(800),
};

for (const [name, original] of Object.entries(OUTPUTS)) {
	test(name, async () => {
		const session = new SessionFile(name).turn("1", text(original)).turn("2").turn("3").open();
		await goOn(session, async (world) => {
			assertQuiet(world);
			for (const request of world.requests) assertFair(request);
			assert.deepEqual(await assertRecalled(world), ["r1", "r2"]);
			const placeholder = folds(world.last).get("r1")!;
			assert.ok(placeholder.length < original.length / 3 && placeholder.length < 1_200, placeholder);
			assert.ok(placeholder.isWellFormed());
			assert.doesNotMatch(placeholder, /[\u0000\u001b]/);
		});
	});
}

test("a very long output says what it is made of, in the same bytes before and after a restart", async () => {
	const part = (number: number) => `export class Part${number} {\n${"\trun(): void {}\n".repeat(120)}}\n`;
	const original = Array.from({ length: 20 }, (_, number) => part(number)).join("");
	assert.ok(original.length > 32_000);
	const short = original.slice(0, 20_000);
	const session = new SessionFile("long code").turn("1", text(original)).turn("2", text(short)).turn("3").open();
	await goOn(session, async (world) => {
		assertQuiet(world);
		for (const request of world.requests) assertFair(request);
		const lines = folds(world.last).get("r1")!.split("\n");
		assert.match(lines[1]!, /^\[code, 20 declarations: class Part0, class Part1, .*, 8 more\]$/);
		assert.ok(!folds(world.last).get("r2")!.includes("[code"));
		assert.deepEqual(persisted(world), folds(world.last));
		await assertRecalled(world);
		const before = world.last.view;
		await world.restart();
		await world.prompt("And now?", [{ text: "The same." }]);
		assert.deepEqual(world.last.view.slice(0, before.length), before);
	});
});

for (const limit of [3, 7, 101, 999]) {
	test(`a pair on every page edge, pages of ${limit}`, async () => {
		// Behind an even start each odd limit ends within a pair, and so does the next page.
		const pairs = "😀".repeat(limit * 4);
		const file = new SessionFile(`pairs ${limit}`).turn("1", text(`${pairs}\u0000\u001b[0m\r\n\ud83d\n`));
		const pages = await assertExact(file.open(), "r1", limit);
		assert.ok(pages.length >= 8);
		for (const page of pages) assert.ok(page.length > 0 && page.length <= limit);
		for (const page of pages.slice(0, -2)) assert.ok(page.isWellFormed(), "a pair was split");
	});
}
