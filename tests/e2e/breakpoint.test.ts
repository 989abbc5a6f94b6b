/**
 * The fourth cache mark in real Pi: prompts whose answers hold a dozen parallel calls and more, against plain Pi and
 * against the same extension without the mark, under a cache that renews what it reads and one that does not.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { PI_ZIP } from "../host/home.ts";
import { search } from "../host/project.ts";
import type { StageOptions } from "../host/stage.ts";
import { type Answer, conversation, type Exchange } from "../server/script.ts";
import type { Recorded } from "../server/server.ts";
import { assertPrefixes, atWork, foldsAt, promptOf, runTasks } from "./work.ts";

const NO_MARK = fileURLToPath(new URL("extensions/no-mark.ts", import.meta.url));
const TASKS = 3;

/** A prompt answered with two batches of parallel calls. */
function batches(n: number): Exchange {
	const batch = (size: number): Answer => ({
		text: `I look at ${size} places.`,
		calls: Array.from({ length: size }, (_, index) => search(n * 20 + index)),
	});
	return { prompt: promptOf(n), answers: [batch(12 + n), batch(20 - n), { text: `Task ${n} is done.` }] };
}

interface Outcome {
	cost: number;
	requests: Recorded[];
}

function play(extensions: string[], options: Partial<StageOptions> = {}): Promise<Outcome> {
	const script = conversation(Array.from({ length: TASKS }, (_, n) => batches(n)));
	return atWork({ script, ...options }, async (stage) => {
		const pi = stage.rpc({ extensions });
		await runTasks(pi, 0, TASKS);
		assert.deepEqual(stage.server.refused, []);
		assert.deepEqual(pi.extensionErrors, []);
		return { cost: stage.server.bill().money, requests: stage.server.main };
	});
}

const marks = ({ raw }: Recorded): number => raw.split('"cache_control"').length - 1;

for (const unkind of [false, true]) {
	test(`batches of parallel calls under ${unkind ? "an unkind" : "a kind"} cache: the mark saves, and breaks nothing`, async (t) => {
		const [plain, without, zip] = await Promise.all([
			play([], { unkind }),
			play([PI_ZIP, NO_MARK], { unkind }),
			play([PI_ZIP], { unkind }),
		]);
		const ratio = (one: Outcome) => one.cost / plain.cost;
		t.diagnostic(`of plain Pi's cost: ${ratio(without).toFixed(3)} without the mark, ${ratio(zip).toFixed(3)} with it`);
		assert.ok(ratio(zip) < 0.8, String(ratio(zip)));
		assert.ok(zip.cost < without.cost);
		assertPrefixes(zip.requests, foldsAt(zip.requests));
		assert.deepEqual([...new Set(zip.requests.map(marks))].sort(), [3, 4]);
	});
}

test("with /zip off no request carries a mark of ours", async () => {
	const script = conversation([batches(0), batches(1)]);
	await atWork({ script }, async (stage) => {
		const pi = stage.rpc({ extensions: [PI_ZIP] });
		await pi.run("/zip off");
		await runTasks(pi, 0, 2);
		assert.ok(stage.server.main.every((request) => marks(request) === 3));
	});
});
