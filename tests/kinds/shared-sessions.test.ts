/**
 * Recorded and hostile sessions beside the clone, in real Pi: each user turn is gone back to and taken as a cold return.
 */

import assert from "node:assert/strict";
import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, test } from "node:test";
import { SessionManager } from "@earendil-works/pi-coding-agent";
import { clock } from "../world/clock.ts";
import { folds, inWorld, type World } from "../world/pi.ts";
import { plainView } from "../world/plain.ts";
import { GO_ON } from "./go-on.ts";
import { assertExact, assertFair, assertQuiet, pairingFaults } from "./judge.ts";

const HOUR = 3_600_000;

const folder = mkdtempSync(join(tmpdir(), "pi-zip-shared-"));
after(() => rmSync(folder, { recursive: true }));

for (const kind of ["fixtures", "corpus"]) {
	const shared = join(import.meta.dirname, "../../../shared", kind);
	const present = existsSync(shared);
	const files = present ? readdirSync(shared).filter((file) => file.endsWith(".jsonl")) : [];
	test(`sessions of ${kind} are there`, { skip: !present && `no folder shared/${kind} beside the clone` }, () => {
		assert.ok(files.length > 0);
	});
	for (const file of files) {
		test(`${kind}: ${file}`, async (context) => {
			const copy = join(folder, basename(file));
			copyFileSync(join(shared, file), copy);
			const session = SessionManager.open(copy);
			await inWorld({ session }, async (world) => {
				const folded = await returns(world);
				for (const id of folded) await assertExact(session, id);
				context.diagnostic(`${world.requests.length} requests, ${folded.size} outputs folded`);
			});
		});
	}
}

/** Goes back to each prompt of the branch, and gives another in its place. Returns all that was folded. */
async function returns(world: World): Promise<Set<string>> {
	const prompts = world.manager
		.getBranch()
		.filter((entry) => entry.type === "message" && entry.message.role === "user")
		.map(({ id }) => id);
	const leaf = world.manager.getLeafId();
	const folded = new Set<string>();
	for (const target of [...prompts, leaf]) {
		if (target) await world.session.navigateTree(target);
		clock.advance(HOUR);
		const before = world.requests.length;
		await world.prompt("Go on.", GO_ON);
		assertQuiet(world);
		for (const request of world.requests.slice(before)) {
			assertFair(request);
			for (const id of folds(request).keys()) folded.add(id);
		}
		assertPersisted(world);
	}
	return folded;
}

/** What was written into the session gives the view that was sent, and pairs as it would without us. */
function assertPersisted(world: World): void {
	const { messages } = world.manager.buildSessionProjection();
	const written = messages.map((message) => JSON.stringify(message));
	assert.deepEqual(written.slice(0, world.last.view.length), world.last.view);
	const { plain } = plainView(world.manager.getBranch());
	const faults = (view: readonly string[]) => pairingFaults(view.map((message) => JSON.parse(message)));
	assert.deepEqual(faults(written), faults(plain));
}
