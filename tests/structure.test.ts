/** The line on a text's structure: cases as text, bounds on hostile ones, and its place in a placeholder. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { STRUCTURE_UNITS, structureOf, withStructure } from "../src-ts/structure.ts";

const CASES = readFileSync(new URL("structure/cases.txt", import.meta.url), "utf8")
	.split("\n== ")
	.slice(1);

/** The characters that a case names. */
function unescaped(line: string): string {
	return line
		.replaceAll("\\t", "\t")
		.replaceAll("\\r", "\r")
		.replace(/\\x([0-9a-f]{2})|\\u([0-9a-f]{4})/g, (_, byte, unit) =>
			String.fromCharCode(Number.parseInt(byte ?? unit, 16)),
		)
		.replaceAll("\\\\", "\\");
}

function textOf(lines: readonly string[]): string {
	const text = lines.flatMap((line) => {
		const [, times, content] = /^(?:<(\d+)> )?\| ?(.*)$/.exec(line) ?? [];
		if (content === undefined) return [];
		if (times === undefined) return [unescaped(content)];
		return Array.from({ length: Number(times) }, (_, at) => unescaped(content.replaceAll("#n", String(at + 1))));
	});
	return text.join("\n");
}

for (const block of CASES) {
	const [name = "", ...lines] = block.split("\n");
	test(`structure: ${name}`, () => {
		const expected = lines.find((line) => line.startsWith("="));
		assert.ok(expected !== undefined, "the case says nothing");
		const text = textOf(lines);
		assert.notEqual(text, "");
		const line = structureOf(text);
		assert.equal(line, expected.slice(2));
		assert.equal(structureOf(text.replaceAll("\n", "\r\n")), line, "line ends make no difference");
	});
}

const MEGA = 2_000_000;
const HOSTILE: { readonly [name: string]: string } = {
	nothing: "",
	"one long line": "x".repeat(MEGA),
	"one long line of JSON": `{"a":"${"v".repeat(MEGA)}"}`,
	"100,000 levels": "[".repeat(100_000) + "]".repeat(100_000),
	"100,000 objects that are not closed": '{"a":'.repeat(100_000),
	"nothing but slashes in a string": `{"a":"${"\\".repeat(MEGA)}`,
	"quoted quotes": `{"a":"${'\\"'.repeat(MEGA / 2)}`,
	"keys without end": `{${'"k":1,'.repeat(MEGA / 6)}`,
	"200,000 lines": "x\n".repeat(200_000),
	"200,000 headings": "# a\n## b\n".repeat(100_000),
	"200,000 declarations": "class A {\nfn b() {\n".repeat(100_000),
	"one line of modifiers": "pub ".repeat(MEGA / 4),
	"one line of types": `${"int ".repeat(MEGA / 4)}a(`,
	"lone surrogates": "\ude00\ud83d\n".repeat(MEGA / 3),
	"binary junk": Array.from({ length: 100_000 }, (_, at) => String.fromCharCode((at * 7919) % 65_536)).join(""),
	zeros: "\0".repeat(MEGA),
	spaces: " ".repeat(MEGA),
	"a header of a thousand columns": `${"a,".repeat(1_000)}b\n${"1,".repeat(1_000)}2\n`.repeat(20),
};

for (const [name, text] of Object.entries(HOSTILE)) {
	test(`structure, hostile: ${name}`, () => {
		const line = structureOf(text);
		assert.ok(line.length <= STRUCTURE_UNITS && line.isWellFormed(), line);
		assert.doesNotMatch(line, /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
		assert.equal(structureOf(text), line);
	});
}

test("of a text that is twice as long no more is looked at than twice", () => {
	// Steps that grow with the square would take minutes here.
	for (const piece of ['{"a":[', "(((", '","', "\\", "pub(", "| a ", "```\n", "@@ -1 +1 @@\n", "a,b\n"]) {
		const line = structureOf(piece.repeat(300_000));
		assert.ok(line.length <= STRUCTURE_UNITS);
	}
});

test("a placeholder gets the line behind its first, where it stays clearly smaller", () => {
	const placeholder = "[folded by pi-zip, handle h: turn 1]\n1| a line\n[Not the output.]";
	const original = "export class A {\n}\n".repeat(100);
	const told = "[folded by pi-zip, handle h: turn 1]\n[code, 1 declaration: class A]\n1| a line\n[Not the output.]";
	assert.equal(withStructure(placeholder, original), told);
	assert.equal(withStructure(placeholder, "export class A {\n}\n"), placeholder);
	assert.equal(withStructure(placeholder, "plain words\n".repeat(200)), placeholder);
});
