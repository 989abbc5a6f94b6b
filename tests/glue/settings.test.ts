/** The environment is read in one place, and what makes no sense there is as if it were not set. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { readSettings, type Settings, settingsFor } from "../../src-ts/settings.ts";
import { readSettingsFile } from "../../src-ts/settings-file.ts";

const DEFAULT = readSettings({});

test("without variables the defaults are the core's", () => {
	const { off, foldMin, target, keyLines, inTurnAge, lifetime, retention } = DEFAULT;
	assert.equal(off, false);
	assert.deepEqual([foldMin, target, keyLines, inTurnAge, lifetime], Array(5).fill(undefined));
	assert.equal(retention, "short");
	const { summaryModels, warming, redact, structureFrom } = DEFAULT;
	assert.deepEqual({ summaryModels, warming, redact, structureFrom }, { ...BY_DEFAULT });
});

const BY_DEFAULT = { summaryModels: [], warming: "decide", redact: true, structureFrom: 32_000 };

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
	["PI_ZIP_FOLD_MIN", "0", "foldMin", undefined],
	["PI_ZIP_COLD_CAP", "0", "target", 0],
	["PI_ZIP_COLD_CAP", "NaN", "target", undefined],
	["PI_ZIP_KEEP_LINES", "51", "keyLines", undefined],
	["PI_ZIP_KEEP_LINES", "0", "keyLines", 0],
	["PI_ZIP_INTURN_AGE", "12", "inTurnAge", 12],
	["PI_ZIP_CACHE_STATS", "", "cacheStats", undefined],
	["PI_ZIP_LEDGER", "/somewhere", "ledger", "/somewhere"],
	["PI_ZIP_SUMMARIES_WHEN", "return", "summariesWhen", "return"],
	["PI_ZIP_SUMMARIES_WHEN", "always", "summariesWhen", "both"],
	["PI_ZIP_TEST_ROOT", "/here", "testRoot", "/here"],
	["PI_CACHE_RETENTION", "long", "retention", "long"],
	["PI_CACHE_RETENTION", "none", "retention", "short"],
];

for (const [variable, value, setting, expected] of CASES) {
	test(`${variable}=${JSON.stringify(value)}`, () => {
		assert.deepEqual(readSettings({ [variable]: value }), { ...DEFAULT, [setting]: expected });
	});
}

/** A file's content, what it sets, and what is wrong with it. */
const FILES: [content: string, set: Partial<Settings>, faults: string[]][] = [
	['\ufeff{"summaries":"off"}', { summaries: "off" }, []],
	["{}", {}, []],
	['{"target": 60000, "notices": "quiet"}', { target: 60_000, quiet: true }, []],
	['{"target": 60000.7}', { target: 60_000 }, []],
	['{"cacheRetention": "none"}', { retention: "none" }, []],
	['{"target": "60000"}', {}, ["target must be a number from 1000 to 10000000"]],
	['{"target": 999}', {}, ["target must be a number from 1000 to 10000000"]],
	[
		'{"target": null, "notices": 1}',
		{},
		["target must be a number from 1000 to 10000000", 'notices must be "line" or "quiet"'],
	],
	['{"$schema": "x", "warming": "leave", "redact": false}', { warming: "leave", redact: false }, []],
	[
		'{"structureFrom": 5000, "summaryModels": ["a/b", "c/d/e"]}',
		{ structureFrom: 5000, summaryModels: ["a/b", "c/d/e"] },
		[],
	],
	['{"structureFrom": 10}', {}, ["structureFrom must be a number from 1000 to 10000000"]],
	['{"summaryModels": "a/b"}', {}, ['summaryModels must be a list of "provider/id"']],
	['{"summaryModels": ["b"]}', {}, ['summaryModels must be a list of "provider/id"']],
	['{"warming": true, "redact": "no"}', {}, ['warming must be "decide" or "leave"', "redact must be true or false"]],
	['{"traget": 60000}', {}, ["traget is no setting"]],
	['{"__proto__": 1}', {}, ["__proto__ is no setting"]],
	['{"toString": 1}', {}, ["toString is no setting"]],
	['{"models": []}', {}, ['models must be an object by "provider/id"']],
	["[]", {}, ["is no JSON object"]],
	["{", {}, ["is no JSON"]],
	["", {}, ["is no JSON"]],
	[
		'{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1}',
		{},
		[..."abcde"].map((key) => `${key} is no setting`).concat("and 2 more"),
	],
];

for (const [content, set, faults] of FILES) {
	test(`${JSON.stringify(content)} as the settings file`, () => {
		const file = readSettingsFile(content);
		assert.deepEqual(readSettings({}, file), { ...DEFAULT, ...set });
		assert.deepEqual(file.faults, faults);
	});
}

test("without a file nothing is set, and the environment goes before a file", () => {
	assert.deepEqual(readSettings({}, readSettingsFile(undefined)), DEFAULT);
	assert.equal(readSettings({ PI_ZIP_COLD_CAP: "7" }, readSettingsFile('{"target": 60000}')).target, 7);
});

test("a model's own settings hold for it alone", () => {
	const content = {
		target: 60_000,
		models: { "one/a": { target: 20_000 }, "one/b": { cacheRetention: "long", x: 1 } },
	};
	const file = readSettingsFile(JSON.stringify(content));
	const settings = readSettings({}, file);
	const of = (id: string) => settingsFor(settings, { provider: "one", id });
	assert.deepEqual(of("a"), { target: 20_000, retention: "short" });
	assert.deepEqual(of("b"), { target: 60_000, retention: "long" });
	assert.deepEqual(of("c"), { target: 60_000, retention: "short" });
	assert.deepEqual(settingsFor(settings, undefined), { target: 60_000, retention: "short" });
	assert.deepEqual(file.faults, ["models.one/b.x is no setting"]);
});
