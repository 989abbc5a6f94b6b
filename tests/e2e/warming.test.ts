/**
 * Pi keeps a cache warm by sending the last request again. A handler that stays registered at `turn_end` ends that for
 * good after the first fold; pi-zip registers only while it has something to persist. Real time passes here: Pi's timers
 * cannot be moved, so the model declares a lifetime of seconds.
 */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { PI_ZIP } from "../host/home.ts";
import { search } from "../host/project.ts";
import type { RpcPi } from "../host/rpc.ts";
import { readEntries } from "../host/session-file.ts";
import { CLAUDE } from "../host/stage.ts";
import { conversation } from "../server/script.ts";
import { AWAY, atWork, placeholders, promptOf, runTasks } from "./work.ts";

const PERMANENT = fileURLToPath(new URL("extensions/permanent-handler.ts", import.meta.url));
/** Seconds; Pi refreshes ten seconds before the end, two seconds after a request. */
const LIFETIME = 12;
/** Dear enough that a refresh of a small context pays by Pi's own reckoning. */
const PRICES = { input: 6000, read: 6, write: 7500, output: 15 };
/** Milliseconds in which two refreshes would have come. */
const NO_REFRESH = 7000;
/** Milliseconds to wait for one on a busy machine. */
const PATIENCE = 30_000;

/** Refreshes that Pi has booked in the session: the answer has arrived, too. */
async function booked(pi: RpcPi): Promise<number> {
	return readEntries(await pi.sessionFile()).filter(({ kind }) => kind === "cache_warm").length;
}

async function waitForRefreshes(pi: RpcPi, count: number): Promise<void> {
	const end = Date.now() + PATIENCE;
	while ((await booked(pi)) < count && Date.now() < end) await wait(100);
	const got = await booked(pi);
	assert.ok(got >= count, `${got} refreshes of ${count}`);
}

const model = { ...CLAUDE, promptCache: { short: LIFETIME }, prices: PRICES };

function foldBetweenRefreshes(
	extensions: string[],
	after: (pi: RpcPi, before: number) => Promise<void>,
): Promise<void> {
	return atWork({ models: [model], prices: PRICES, lifetime: LIFETIME }, async (stage) => {
		const pi = stage.rpc({ extensions });
		await runTasks(pi, 0, 3);
		await waitForRefreshes(pi, (await booked(pi)) + 2);
		await stage.advance(AWAY);
		await pi.run(promptOf(3));
		assert.ok(
			stage.server.main.some((request) => placeholders(request).length > 0),
			"folded",
		);
		await after(pi, await booked(pi));
		assert.deepEqual(stage.server.refused, []);
	});
}

test("refreshes of the cache go on after a fold", () =>
	foldBetweenRefreshes([PI_ZIP], (pi, before) => waitForRefreshes(pi, before + 2)));

test("the same session with a permanent handler gets no refresh after the fold", () =>
	foldBetweenRefreshes([PI_ZIP, PERMANENT], async (pi, before) => {
		await wait(NO_REFRESH);
		assert.equal(await booked(pi), before);
	}));

test("a refresh carries the cache marks of the request that it repeats", () => {
	const calls = Array.from({ length: 16 }, (_, index) => search(index));
	const script = conversation([{ prompt: promptOf(0), answers: [{ calls }, { text: "Done." }] }]);
	return atWork({ script, models: [model], prices: PRICES, lifetime: LIFETIME }, async (stage) => {
		const pi = stage.rpc({ extensions: [PI_ZIP] });
		await pi.run(promptOf(0));
		await waitForRefreshes(pi, 1);
		const main = stage.server.main.at(-1)!;
		assert.equal(main.blocks.filter(({ mark }) => mark).length, 4);
		const refresh = stage.server.requests.findLast(({ kind }) => kind === "refresh")!;
		assert.deepEqual(refresh.blocks, main.blocks);
	});
});

/** Reads are so dear that what a cold return would fold is worth more than what a refresh keeps. */
const DEAR_READS = { ...PRICES, read: 600 };

for (const [what, extensions, settings, isRefreshed] of [
	["pi-zip lets a cache die that a return would fold anyway", [PI_ZIP], {}, false],
	["plain Pi refreshes the same one", [], {}, true],
	["where warming is left to Pi, so does pi-zip", [PI_ZIP], { warming: "leave" }, true],
] as const) {
	test(what, () =>
		atWork({ models: [{ ...model, prices: DEAR_READS }], prices: DEAR_READS, lifetime: LIFETIME }, async (stage) => {
			writeFileSync(join(stage.home.agent, "pi-zip.json"), JSON.stringify(settings));
			const pi = stage.rpc({ extensions: [...extensions] });
			await runTasks(pi, 0, 4);
			if (isRefreshed) return waitForRefreshes(pi, (await booked(pi)) + 1);
			const before = await booked(pi);
			await wait(NO_REFRESH);
			assert.equal(await booked(pi), before);
			assert.deepEqual(pi.extensionErrors, []);
		}),
	);
}
