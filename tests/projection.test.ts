/** The projection without the walks over what was compacted is Pi's own, on generated trees, moved about, and on recorded sessions. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import * as pi from "@earendil-works/pi-coding-agent";
import { SessionManager } from "@earendil-works/pi-coding-agent";
import * as tui from "@earendil-works/pi-tui";
import { projector } from "../src-ts/projection.ts";
import { sessionLines } from "./session/generated.ts";
import { Random } from "./session/random.ts";

const FIRST = Number(process.env.PI_ZIP_TEST_SEED ?? 1);
const SEEDS = 200;

const project = projector({ pi, tui });

function assertSame(session: SessionManager, what: string): number {
	const { entries, messages } = project(session);
	const plain = session.buildSessionProjection();
	assert.deepEqual(messages, plain.messages, what);
	const shown = (projection: typeof plain) =>
		projection.entries.filter((entry) => entry.messages.length > 0).map(({ sourceEntry }) => sourceEntry.id);
	assert.deepEqual(shown({ ...plain, entries }), shown(plain), what);
	return plain.entries.length;
}

test(`the projection is Pi's on generated trees, seeds ${FIRST} to ${FIRST + SEEDS - 1}`, () => {
	let compacted = 0;
	for (let seed = FIRST; seed < FIRST + SEEDS; seed += 1) {
		const random = new Random(seed);
		const [header, ...entries] = sessionLines(seed);
		const session = SessionManager.inMemory("/", undefined, [header, ...entries] as never);
		for (let step = 0; step < 6; step += 1) {
			const { id } = random.pick(session.getEntries());
			session.branch(id);
			if (random.chance(0.5)) {
				const branch = session.getBranch();
				// Now and then it keeps what is nowhere on the branch.
				const kept = random.chance(0.8) ? random.pick(branch).id : "nowhere";
				session.appendCompaction("What was.", kept, 1000);
				const results = branch.filter((entry) => entry.type === "message" && entry.message.role === "toolResult");
				if (results.length > 0) session.appendContextEdit(random.pick(results).id, null);
			}
			if (assertSame(session, `seed ${seed}, step ${step}`) < session.getBranch().length) compacted += 1;
		}
	}
	assert.ok(compacted > SEEDS, `only ${compacted} were compacted`);
});

const corpus = join(import.meta.dirname, "../../shared/corpus");
const skip = existsSync(corpus) ? false : "no folder shared/corpus beside the clone";

test("the projection is Pi's on recorded sessions", { skip }, () => {
	const files = readdirSync(corpus).filter((name) => name.endsWith(".jsonl"));
	assert.ok(files.length > 0);
	for (const name of files) {
		const entries = pi.parseSessionEntries(readFileSync(join(corpus, name), "utf8"));
		pi.migrateSessionEntries(entries);
		const session = SessionManager.inMemory("/", undefined, entries);
		const branch = session.getBranch();
		for (const part of [0.25, 0.5, 0.75, 1]) {
			const at = branch[Math.floor(part * (branch.length - 1))];
			assert.ok(at, name);
			session.branch(at.id);
			assertSame(session, `${name} at ${part}`);
		}
	}
});
