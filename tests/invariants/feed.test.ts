/**
 * I8, through the module: a core that was fed as a session grew, over moves in its tree, answers as one that is fed the
 * branch whole. (The same on the Rust side, with odder entries, is `i8_feeding_in_pieces_equals_feeding_whole`.)
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { SessionManager } from "@earendil-works/pi-coding-agent";
import type { WireSituation } from "../../src-ts/asked.ts";
import { Engine } from "../../src-ts/core.ts";
import { readSettings } from "../../src-ts/settings.ts";
import { askCore } from "../../src-ts/summary/summaries.ts";
import { sessionLines } from "../session/generated.ts";
import { Random } from "../session/random.ts";

const FIRST = Number(process.env.PI_ZIP_TEST_SEED ?? 1);
const SEEDS = 60;

/** Nearly everything is worth a fold, so that answers say much of what the core knows. */
const SETTINGS = readSettings({ PI_ZIP_FOLD_MIN: "1", PI_ZIP_COLD_CAP: "0", PI_ZIP_INTURN_AGE: "1" });

const SITUATION: WireSituation = {
	now: Date.UTC(2026, 5, 1),
	touched: undefined,
	model: { provider: "p", model: "m" },
	retention: "short",
	declaredShort: 300_000,
	declaredLong: undefined,
	lifetime: undefined,
	recallable: true,
	trigger: undefined,
	keep: undefined,
	prices: [3, 15, 0.3, 3.75],
};

/** All that a core says of the session's branch. */
function answers(engine: Engine, session: SessionManager): unknown {
	return engine.with(session, (core, feed) => {
		const checks = core.checks(SITUATION);
		const unchanged = Uint32Array.from(checks, ({ entry }) => entry);
		const plan = core.plan(SITUATION, unchanged);
		const ids = plan.edits.map(({ entry }) => feed.id(entry));
		const status = core.status(SITUATION);
		const range = { from: 0, until: feed.length, fresh: 0, units: 1e6 };
		return structuredClone({ checks, plan, ids, status, summary: askCore(core, feed, range).fixed });
	});
}

/** Adds a turn whose outputs may be folded; entries of the generated tree alone are mostly small. */
function addTurn(session: SessionManager, random: Random): void {
	const [id, timestamp] = [`c${random.below(3)}`, SITUATION.now - 4e6];
	const zero = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 };
	const call = { type: "toolCall" as const, id, name: "bash", arguments: { command: "npm test" } };
	session.appendMessage({ role: "user", content: "go", timestamp });
	session.appendMessage({
		role: "assistant",
		content: [call],
		api: "a",
		provider: "p",
		model: "m",
		usage: { ...zero, cost: { ...zero, total: 0 } },
		stopReason: "toolUse",
		timestamp,
	});
	const isError = random.chance(0.3);
	const text = "a line of output é\n".repeat(random.below(400)) + (isError ? "Command exited with code 7" : "");
	const content = [{ type: "text" as const, text }];
	session.appendMessage({ role: "toolResult", toolCallId: id, toolName: "bash", content, isError, timestamp });
}

test(`I8 feed: in pieces and after moves as whole, seeds ${FIRST} to ${FIRST + SEEDS - 1}`, () => {
	let folds = 0;
	for (let seed = FIRST; seed < FIRST + SEEDS; seed += 1) {
		const random = new Random(seed);
		const [header, ...entries] = sessionLines(seed);
		const session = SessionManager.inMemory("/", undefined, [header, ...entries] as never);
		const grown = new Engine(SETTINGS);
		for (let step = 0; step < 8; step += 1) {
			for (let turns = random.below(4); turns > 0; turns -= 1) addTurn(session, random);
			// What it takes from view is not looked at until a summary tells of it.
			if (random.chance(0.3)) session.appendCompaction("so far", session.getLeafId() ?? "", 1_000);
			if (random.chance(0.4)) session.branch(random.pick(session.getEntries()).id);
			const whole = new Engine(SETTINGS);
			const expected = answers(whole, session) as { plan: { edits: object[] } };
			folds += expected.plan.edits.length;
			assert.deepEqual(answers(grown, session), expected, `seed ${seed}, step ${step}`);
			whole.close();
		}
		grown.close();
	}
	assert.ok(folds > 0, "no plan folds anything");
});
