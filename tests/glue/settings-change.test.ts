/** A setting is changed in the text of its file and nothing else is; the published schema says what the reader takes. */

import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { ExtensionCommandContext } from "@earendil-works/pi-coding-agent";
import { SCHEMA_FILE, schemaText } from "../../scripts/schema.ts";
import { Disk } from "../../src-ts/files.ts";
import type { Host } from "../../src-ts/host.ts";
import { settingsDialog } from "../../src-ts/settings/dialog.ts";
import { changed } from "../../src-ts/settings/document.ts";
import { KEYS } from "../../src-ts/settings/keys.ts";
import { SettingsStore } from "../../src-ts/settings/store.ts";
import { readSettingsFile } from "../../src-ts/settings-file.ts";
import { Random } from "../session/random.ts";

const CASES: [before: string | undefined, path: string[], value: unknown, after: string][] = [
	[undefined, ["target"], 5000, '{\n\t"target": 5000\n}\n'],
	['\ufeff{"target":1}', ["target"], 5000, '\ufeff{"target":5000}'],
	["{}", ["target"], 5000, '{\n\t"target": 5000\n}'],
	['{"target":1}', ["target"], 5000, '{"target":5000}'],
	['{"a": 1, "target":1 , "b":2}', ["target"], 5000, '{"a": 1, "target":5000 , "b":2}'],
	['{"a": 1}', ["target"], 5000, '{"a": 1, "target": 5000}'],
	['{\n  "a": 1.0e3\n}\n', ["redact"], false, '{\n  "a": 1.0e3,\n  "redact": false\n}\n'],
	['{\n  "2": 0,\n  "1": 0\n}', ["x"], 1, '{\n  "2": 0,\n  "1": 0,\n  "x": 1\n}'],
	['{"target": 1, "target": 2}', ["target"], 3, '{"target": 1, "target": 3}'],
	['{"target": 1, "target": 2}', ["target"], undefined, "{}"],
	['{\n  "a": 1,\n  "b": 2\n}', ["b"], undefined, '{\n  "a": 1\n}'],
	['{\n  "a": 1,\n  "b": 2\n}', ["a"], undefined, '{\n  "b": 2\n}'],
	['{"a": 1}', ["b"], undefined, '{"a": 1}'],
	['{"a": "}\\"{,", "b": [{"c": "]"}], "d": null}', ["b"], true, '{"a": "}\\"{,", "b": true, "d": null}'],
	['{"models": {"p/a": {"x": 1}}}', ["models", "p/a", "target"], 2, '{"models": {"p/a": {"x": 1, "target": 2}}}'],
	[
		'{\n\t"models": {}\n}',
		["models", "p/a", "target"],
		2,
		'{\n\t"models": {\n\t\t"p/a": {\n\t\t\t"target": 2\n\t\t}\n\t}\n}',
	],
	['{"models": {"p/a": {"target": 2}}}', ["models", "p/a", "target"], undefined, '{"models": {"p/a": {}}}'],
	["{}", ["models", "p/a", "target"], undefined, "{}"],
	['{"summaryModels": ["a/b"]}', ["summaryModels"], [], '{"summaryModels": []}'],
];

for (const [before, path, value, after] of CASES) {
	test(`${before ?? "no file"}: ${path.join(".")} = ${JSON.stringify(value)}`, () => {
		assert.equal(changed(before, path, value), after);
	});
}

for (const torn of ["", "{", '{"target": 5', "[]", "null", "{} {}"]) {
	test(`${JSON.stringify(torn)} is not overwritten`, () => {
		assert.throws(() => changed(torn, ["target"], 5000), /nothing was written/);
	});
}

test("in any object the change is made, and the rest stands as it stood", () => {
	const seed = Date.now() % 1e9;
	const random = new Random(seed);
	for (let round = 0; round < 500; round += 1) {
		const space = () => random.pick(["", " ", "\n", "\n\t", "\r\n  "]);
		const names = ["target", "a", "b}", 'c"', "models", "é", "1"].filter(() => random.chance(0.6));
		const values = ["1e3", '"x\\\\"', '"\\"}{"', "[1,[2],{}]", '{"in":{"deep":[]}}', "null", "-0.50", "{ }"];
		const members = names.map(
			(name) => `${space()}${JSON.stringify(name)}${space()}:${space()}${random.pick(values)}${space()}`,
		);
		const text = `${space()}{${members.join(",") || space()}}${space()}`;
		const value = random.pick<unknown>([5000, undefined, { a: [1] }]);
		const name = random.pick(["target", "a", "b}", "new"]);
		const after = changed(text, [name], value);
		const expected = JSON.parse(text) as Record<string, unknown>;
		if (value === undefined) delete expected[name];
		else expected[name] = value;
		assert.deepEqual(JSON.parse(after), expected, `seed ${seed}: ${text}`);
		for (const [index, member] of members.entries()) {
			if (names[index] !== name) assert.ok(after.includes(member.trim()), `seed ${seed}: ${text}\n${after}`);
		}
	}
});

function inFolder(body: (folder: string, store: SettingsStore) => void): void {
	const folder = mkdtempSync(join(tmpdir(), "pi-zip-settings-"));
	try {
		body(folder, new SettingsStore(new Disk(folder), { pi: { getAgentDir: () => folder } } as unknown as Host));
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

test("a change holds at once, and what stood there before is kept beside the file", () =>
	inFolder((folder, store) => {
		const file = join(folder, "pi-zip.json");
		const { settings } = store;
		store.change(["target"], 20_000);
		assert.equal(settings.target, 20_000);
		assert.equal(existsSync(`${file}.bak`), false, "there was nothing to keep");
		const hand = '{"mine": 1, "target": 30000}';
		writeFileSync(file, hand);
		store.change(["redact"], false);
		assert.equal(settings.redact, false);
		assert.equal(settings.target, 30_000);
		assert.deepEqual(store.faults, ["mine is no setting"]);
		assert.equal(readFileSync(file, "utf8"), '{"mine": 1, "target": 30000, "redact": false}');
		assert.equal(readFileSync(`${file}.bak`, "utf8"), hand);
	}));

test("a torn file stays as it is, and so does what is in force", () =>
	inFolder((folder, store) => {
		const file = join(folder, "pi-zip.json");
		writeFileSync(file, '{"target": 30000, "red');
		store.reload();
		assert.throws(() => store.change(["target"], 20_000), /is no JSON object: nothing was written/);
		assert.equal(readFileSync(file, "utf8"), '{"target": 30000, "red');
		assert.equal(existsSync(`${file}.bak`), false);
		assert.equal(store.settings.target, undefined);
	}));

test("without a terminal settings are changed by Pi's dialogs, and without any they are listed", async () => {
	const folder = mkdtempSync(join(tmpdir(), "pi-zip-settings-"));
	const host = { pi: { getAgentDir: () => folder } } as unknown as Host;
	const store = new SettingsStore(new Disk(folder), host);
	const chosen = [
		"redact: true",
		"false",
		"target of p/m: unset",
		"target: 40000",
		"notices: line",
		undefined,
		undefined,
	];
	const typed = ["9000", "twelve"];
	const warned: string[] = [];
	const ui = {
		select: async () => chosen.shift(),
		input: async () => typed.shift(),
		notify: (line: string) => void warned.push(line),
	};
	const ctx = { hasUI: true, mode: "rpc", model: { provider: "p", id: "m" }, ui };
	const said = await settingsDialog(store, host, ctx as unknown as ExtensionCommandContext);
	assert.match(said.join(), /2 settings changed: redact false, target of p\/m 9000/);
	assert.deepEqual(warned, ["target must be a number from 1000 to 10000000"]);
	assert.deepEqual(JSON.parse(readFileSync(join(folder, "pi-zip.json"), "utf8")), {
		redact: false,
		models: { "p/m": { target: 9000 } },
	});
	const listed = await settingsDialog(store, host, { hasUI: false } as unknown as ExtensionCommandContext);
	assert.deepEqual(listed.slice(0, 3), ["pi-zip · settings", "target: 40000", "cacheRetention: unset"]);
	assert.ok(listed.includes("target of p/m: 9000"));
	rmSync(folder, { recursive: true, force: true });
});

test("the published schema is the one that follows from the declared keys", () => {
	assert.equal(readFileSync(SCHEMA_FILE, "utf8"), schemaText(), "run `node scripts/schema.ts`");
});

interface Schema {
	type?: string;
	enum?: unknown[];
	minimum?: number;
	maximum?: number;
	pattern?: string;
	items?: Schema;
	properties?: Record<string, Schema>;
	additionalProperties?: false | Schema;
}

/** As much of a validator as the schema needs. */
function takes(schema: Schema, value: unknown): boolean {
	if (schema.enum) return schema.enum.includes(value);
	switch (schema.type) {
		case "number":
			return typeof value === "number" && value >= schema.minimum! && value <= schema.maximum!;
		case "boolean":
			return typeof value === "boolean";
		case "string":
			return typeof value === "string" && new RegExp(schema.pattern ?? "").test(value);
		case "array":
			return Array.isArray(value) && value.every((one) => takes(schema.items!, one));
		case "object":
			return (
				typeof value === "object" &&
				value !== null &&
				!Array.isArray(value) &&
				Object.entries(value).every(([name, inner]) => {
					const known = schema.properties?.[name] ?? schema.additionalProperties;
					return known !== false && known !== undefined && takes(known, inner);
				})
			);
		default:
			throw new Error(`the schema has a type that the test does not know: ${schema.type}`);
	}
}

test("the schema and the reader take the same files", () => {
	const schema = JSON.parse(readFileSync(SCHEMA_FILE, "utf8")) as Schema;
	const values = [0, 999, 1000, 5000.5, 1e9, "short", "cached", "off", "leave", "quiet", "", true, false, null];
	const more = [[], ["a/b"], ["a"], [1], {}, { "a/b": {} }, { "a/b": { target: 5000 } }, { a: { x: 1 } }, { a: 1 }];
	for (const name of [...Object.keys(KEYS), "$schema", "other"]) {
		for (const value of [...values, ...more]) {
			if (name === "$schema" && typeof value !== "string") continue;
			const file = { [name]: value };
			const { faults } = readSettingsFile(JSON.stringify(file));
			assert.equal(takes(schema, file), faults.length === 0, JSON.stringify(file));
		}
	}
});
