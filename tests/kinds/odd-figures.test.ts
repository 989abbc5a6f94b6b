/** Times and reports as sessions really hold them: pauses around each limit, and usage that makes no sense. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { clock } from "../world/clock.ts";
import { PROVIDER } from "../world/model.ts";
import { folds, inWorld, persisted } from "../world/pi.ts";
import { GO_ON, goOn } from "./go-on.ts";
import { assertFair, assertQuiet } from "./judge.ts";
import { SessionFile, text, usage } from "./session-file.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

const three = (name: string) => new SessionFile(name).turn("1").turn("2").turn("3");

const PAUSES: [name: string, pause: number, retention: "short" | "long", cold: boolean][] = [
	["4 min 50 s", 290 * SECOND, "short", false],
	["5 min 10 s", 310 * SECOND, "short", true],
	["59 min", 59 * MINUTE, "short", true],
	["59 min of an hour", 59 * MINUTE, "long", false],
	["61 min of an hour", 61 * MINUTE, "long", true],
	["a day", 1440 * MINUTE, "long", true],
	["a clock that went back", -20 * SECOND, "short", false],
];

for (const [name, pause, retention, cold] of PAUSES) {
	test(`${name}: ${cold ? "folds" : "folds nothing"}`, async () => {
		const file = three(`pause ${name}`);
		process.env.PI_CACHE_RETENTION = retention;
		try {
			await goOn(
				file.open(),
				async (world) => {
					assertQuiet(world);
					assert.deepEqual([...folds(world.last).keys()], cold ? ["r1", "r2"] : []);
				},
				{ at: file.at + pause },
			);
		} finally {
			delete process.env.PI_CACHE_RETENTION;
		}
	});
}

test("a refresh by Pi is a touch: the pause runs from there", async () => {
	const touch = (model: string) => {
		const file = three(`refresh ${model}`);
		file.at += 20 * MINUTE;
		return file.entry("t1", { type: "usage", kind: "cache_warm", provider: PROVIDER, model, usage: usage(1) });
	};
	for (const [model, expected] of [
		["one", []],
		["another", ["r1", "r2"]],
	] as const) {
		const file = touch(model);
		await goOn(file.open(), async (world) => assert.deepEqual([...folds(world.last).keys()], [...expected], model), {
			at: file.at + MINUTE,
		});
	}
});

const REPORTS: [name: string, report: (turn: number) => unknown, folds?: number][] = [
	["missing", () => undefined],
	["nothing", () => null],
	["without figures", () => ({})],
	["zero", () => usage(0)],
	["negative", () => usage(-70_000)],
	["no numbers", () => ({ ...usage(0), input: "many", cacheRead: null })],
	["far too large", () => usage(1e300)],
	// By these the context is so large that a request of the run folds one more.
	["cumulative", (turn) => usage(10_000 * 3 ** turn), 4],
];

for (const [name, report, folds = 3] of REPORTS) {
	test(`usage that is ${name}`, async () => {
		const file = new SessionFile(`usage ${name}`);
		for (const turn of [1, 2, 3, 4]) {
			const answer = { usage: report(turn) };
			file
				.asks(`u${turn}`)
				.calls(`a${turn}`, [`c${turn}`], answer)
				.returns(`r${turn}`, `c${turn}`)
				.glances(`${turn}`, answer);
			file.answers(`z${turn}`, answer);
			if (turn === 2) file.edits("e1", "r1", text("[folded by pi-zip] …"));
		}
		await inWorld({ session: file.open() }, async (world) => {
			await world.command("/zip stats");
			await world.command("/zip status");
			const shown = world.notices.join("\n");
			assert.match(shown, /folded: 1 output,/);
			assert.doesNotMatch(shown, /NaN|Infinity|undefined|null|e\+/);
			const factor = Number(/tokens: ([\d.]+) ×/.exec(shown)?.[1]);
			assert.ok(factor >= 1 && factor <= 2.5, shown);

			await world.prompt("Go on.", GO_ON);
			assertQuiet(world);
			const written = persisted(world).size;
			assert.equal(written, folds);
			for (let prompt = 0; prompt < 3; prompt += 1) {
				clock.advance(MINUTE);
				await world.prompt("More.", GO_ON);
				assertFair(world.last);
			}
			assert.equal(persisted(world).size, written, "warm requests were edited");
		});
	});
}

test("a report from before a compaction is not taken for the present size", async () => {
	const file = new SessionFile("old report").asks("u0").calls("a0", ["c0"], { usage: usage(150_000) });
	file
		.returns("r0", "c0")
		.answers("z0", { usage: usage(150_000) })
		.compacts("k1", "u0");
	await goOn(file.turn("1").turn("2").open(), async (world) => {
		assertQuiet(world);
		const [before, unit] = /pi-zip · ([\d.]+)(K?) →/.exec(world.notices.join("\n"))?.slice(1) ?? [];
		assert.ok(Number(before) * (unit === "K" ? 1_000 : 1) < 20_000, world.notices.join("\n"));
	});
});
