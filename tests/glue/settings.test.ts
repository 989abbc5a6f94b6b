/** The environment is read in one place, and what makes no sense there is as if it were not set. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { readSettings, type Settings } from "../../src-ts/settings.ts";

const DEFAULT = readSettings({});

test("without variables", () => {
	const { off, foldMin, target, keyLines, inTurnAge, lifetime, retention } = DEFAULT;
	assert.deepEqual([off, foldMin, target, keyLines, inTurnAge], [false, 500, 40_000, 8, 60]);
	assert.deepEqual([lifetime, retention], [undefined, "short"]);
});

const CASES: [variable: string, value: string, setting: keyof Settings, expected: unknown][] = [
	["PI_ZIP_OFF", "1", "off", true],
	["PI_ZIP_OFF", "true", "off", false],
	["PI_ZIP_TTL_SECS", "60", "lifetime", 60_000],
	["PI_ZIP_TTL_SECS", "0", "lifetime", 0],
	["PI_ZIP_TTL_SECS", "-1", "lifetime", undefined],
	["PI_ZIP_TTL_SECS", "soon", "lifetime", undefined],
	["PI_ZIP_TTL_SECS", " ", "lifetime", undefined],
	["PI_ZIP_TTL_SECS", "Infinity", "lifetime", undefined],
	["PI_ZIP_FOLD_MIN", "100", "foldMin", 100],
	["PI_ZIP_FOLD_MIN", "0", "foldMin", 500],
	["PI_ZIP_COLD_CAP", "0", "target", 0],
	["PI_ZIP_COLD_CAP", "NaN", "target", 40_000],
	["PI_ZIP_KEEP_LINES", "51", "keyLines", 8],
	["PI_ZIP_KEEP_LINES", "0", "keyLines", 0],
	["PI_ZIP_INTURN_AGE", "12", "inTurnAge", 12],
	["PI_ZIP_CACHE_STATS", "", "cacheStats", undefined],
	["PI_ZIP_LEDGER", "/somewhere", "ledger", "/somewhere"],
	["PI_ZIP_TEST_ROOT", "/here", "testRoot", "/here"],
	["PI_CACHE_RETENTION", "long", "retention", "long"],
	["PI_CACHE_RETENTION", "none", "retention", "short"],
];

for (const [variable, value, setting, expected] of CASES) {
	test(`${variable}=${JSON.stringify(value)}`, () => {
		assert.deepEqual(readSettings({ [variable]: value }), { ...DEFAULT, [setting]: expected });
	});
}
