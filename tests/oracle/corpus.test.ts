/**
 * On every recorded session, at each user turn taken as a cold return: the core folds exactly the entries that the
 * oracle folds. With and without the recall tool.
 */

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
	buildSessionProjection,
	migrateSessionEntries,
	parseSessionEntries,
	type SessionEntry,
} from "@earendil-works/pi-coding-agent";
import type { WireSituation } from "../../src-ts/asked.ts";
import { Engine } from "../../src-ts/core.ts";
import { readSettings } from "../../src-ts/settings.ts";
import { folds, type Rule } from "./oracle.ts";

const CORPUS = join(import.meta.dirname, "../../../shared/corpus");
/** The rule's figures, which are also what is in force without any setting. */
const FIGURES = { foldMin: 300, target: 40_000, inTurnAge: 4, age: 4, workingSet: 6, head: 8_192 };
/** Those of an automatic cache without declared prices, over input. */
const PRICES = { output: 5, read: 0.2, write: 1 };

/** Of the decisions that the oracle leaves to the core, since it writes no placeholder, at most this share. */
const MOST_TRUSTED = 0.35;

const present = existsSync(CORPUS);
const files = present ? readdirSync(CORPUS).filter((file) => file.endsWith(".jsonl")) : [];

test("recorded sessions are there", { skip: present ? false : "no folder shared/corpus beside the clone" }, () => {
	assert.ok(files.length > 0);
});

for (const file of files) {
	test(`the core folds what the oracle folds: ${file}`, (context) => {
		const entries = recorded(join(CORPUS, file));
		const counts = { returns: 0, folded: 0, trusted: 0 };
		for (const recallable of [true, false]) {
			const engine = new Engine(readSettings({}));
			for (const path of returns(entries)) compare(engine, path, recallable, counts);
			engine.close();
		}
		context.diagnostic(`${counts.returns} returns, ${counts.folded} folds, ${counts.trusted} left to the core`);
		assert.ok(counts.trusted <= MOST_TRUSTED * Math.max(counts.folded, 1 / MOST_TRUSTED));
	});
}

function compare(
	engine: Engine,
	path: SessionEntry[],
	recallable: boolean,
	counts: { returns: number; folded: number; trusted: number },
): void {
	const byId = new Map(path.map((entry) => [entry.id, entry]));
	const session = {
		getLeafEntry: () => path.at(-1),
		getLeafId: () => path.at(-1)?.id ?? null,
		getEntry: (id: string) => byId.get(id),
	};
	const { plan, idOf } = engine.with(session, (core, feed) => ({
		plan: core.plan(coldReturn(path, recallable), new Uint32Array()),
		idOf: new Map(path.map((_, index) => [index, feed.id(index)])),
	}));
	const placeholders = new Map(plan.edits.map((edit) => [idOf.get(edit.entry), edit.placeholder.length]));
	const rule: Rule = {
		...FIGURES,
		prices: PRICES,
		ahead: plan.figures.ahead,
		recallable,
		factor: plan.factor,
		before: plan.before,
		placeholder: (id) => placeholders.get(id),
	};
	const expected = isCold(path) ? folds(path, buildSessionProjection(path), rule) : { ids: [], trusted: [] };
	assert.deepEqual([...placeholders.keys()], expected.ids, `at ${path.at(-1)?.id}, ${path.length} entries`);
	counts.returns += 1;
	counts.folded += expected.ids.length;
	counts.trusted += expected.trusted.length;
}

/** A cache that has just expired: its lifetime is a millisecond, and the last request is a day old. */
function coldReturn(path: SessionEntry[], recallable: boolean): WireSituation {
	const newest = Math.max(...path.map((entry) => Date.parse(entry.timestamp)), ...path.map(messageTime));
	return { now: newest + 86_400_000, retention: "short", lifetime: 1, recallable } as WireSituation;
}

function messageTime(entry: SessionEntry): number {
	return entry.type === "message" ? entry.message.timestamp : 0;
}

/** Without a request before there is no cache that could have expired. */
function isCold(path: SessionEntry[]): boolean {
	return path.some((entry) => entry.type === "message" && entry.message.role === "assistant");
}

function recorded(file: string): SessionEntry[] {
	const entries = parseSessionEntries(readFileSync(file, "utf8"));
	migrateSessionEntries(entries);
	return entries.filter((entry) => entry.type !== "session");
}

/** The path to each user message of the file. */
function* returns(entries: SessionEntry[]): Generator<SessionEntry[]> {
	const byId = new Map(entries.map((entry) => [entry.id, entry]));
	for (const prompt of entries) {
		if (prompt.type !== "message" || prompt.message.role !== "user") continue;
		const path: SessionEntry[] = [];
		for (let entry: SessionEntry | undefined = prompt; entry; entry = byId.get(entry.parentId ?? "")) path.push(entry);
		yield path.reverse();
	}
}
