/**
 * I11: what stands in view follows from the session alone: two processes with another clock zone, language, folder and
 * user make the same of one session file.
 */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { SessionManager } from "@earendil-works/pi-coding-agent";
import { FOLDED } from "../world/plain.ts";
import { play } from "../world/scenario.ts";

const FIRST = Number(process.env.PI_ZIP_TEST_SEED ?? 1);

const PLACES = [
	{ TZ: "UTC", LANG: "C", LC_ALL: "C", HOME: homedir() },
	{ TZ: "Asia/Kathmandu", LANG: "tr_TR.UTF-8", LC_ALL: "tr_TR.UTF-8", HOME: tmpdir() },
];

test(`I11 deterministic: one session in two processes, seeds ${FIRST} to ${FIRST + 1}`, async () => {
	for (const seed of [FIRST, FIRST + 1]) {
		const folder = mkdtempSync(join(tmpdir(), "pi-zip-places-"));
		try {
			let file = "";
			const session = SessionManager.create(folder, folder);
			// Without the extension: everything is left to fold.
			await play(seed, { events: ["gap"], options: { session, without: true } }, ({ manager }) => {
				file = manager.getSessionFile() ?? "";
			});
			const views = PLACES.map((place, index) => {
				const copy = join(folder, `${index}.jsonl`);
				copyFileSync(file, copy);
				return resumed(copy, place, index === 0 ? folder : tmpdir());
			});
			assert.ok(views[0]?.includes(FOLDED), `seed ${seed} folds nothing`);
			assert.equal(views[1], views[0], `seed ${seed}`);
			for (const trace of [folder, "2026", "UTC", homedir().length > 1 ? homedir() : folder]) {
				for (const placeholder of placeholders(views[0] ?? "[]")) assert.ok(!placeholder.includes(trace), placeholder);
			}
		} finally {
			rmSync(folder, { recursive: true });
		}
	}
});

function placeholders(view: string): string[] {
	const folded = JSON.parse(view) as [string, string][];
	return folded.map(([, message]) => JSON.parse(message).content[0].text);
}

function resumed(file: string, place: NodeJS.ProcessEnv, cwd: string): string {
	const { NODE_TEST_CONTEXT: _, ...env } = process.env;
	const child = join(import.meta.dirname, "children/view.ts");
	const { status, stdout, stderr } = spawnSync(process.execPath, [child, file], {
		cwd,
		env: { ...env, ...place },
		encoding: "utf8",
	});
	assert.equal(status, 0, stderr);
	return stdout;
}
