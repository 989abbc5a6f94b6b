/**
 * I2: the pages of a recall, joined, equal the selection code unit by code unit. The calls go through the tool's own
 * `execute`, each next one as the answer before it spelled it out; the selection is computed here a second time, slowly
 * and on the original string.
 */

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { type Arguments, originalsIn, recall, recallAll } from "../recall/session.ts";

const SEED = Number(process.env.PI_ZIP_TEST_SEED ?? 20_261_130);
const TEXTS = 2_000;
/** A text with more pages than this takes larger ones, so that the test takes seconds. */
const MOST_PAGES = 40;
const HANDLES = ["0aaaaaaaa1", "0bbbbbbbb2", "0cccccccc3"];

/** Mulberry32: small, seeded, good enough to choose cases. */
function generator(seed: number): (below: number) => number {
	let state = seed;
	return (below) => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
	};
}

const PIECES = [
	"error", "Warn", "abc", "x", " ", "7", "12", "\t", "\n", "\n", "\n", "\r\n", "\r", "\u0000", "\u2028", "\u0085",
	"\x1b[31m", "\x1b[0m", "é", "漢字", "\ufffd", "\ufeff", "😀", "👩‍👩‍👧", "\ud83d", "\ude00", "\ude00\ud83d", "\udbff",
]; // biome-ignore format: a table

function textOf(random: (below: number) => number): string {
	const pieces = [0, 1, 5, 40, 300, 4_000][random(6)]!;
	// Some texts are one long line, some are nearly all line feeds.
	const only = [PIECES, PIECES, PIECES.filter((piece) => !piece.includes("\n")), ["a\n", "\n", "\r\n"]][random(4)]!;
	let text = "";
	for (let count = pieces === 0 ? 0 : 1 + random(pieces); count > 0; count--) text += only[random(only.length)];
	return text;
}

const PATTERNS = ["error", "WARN", "c$", "^x", "\\d+", "[a-c]x|7", "^$", "😀", "(err|w)or?", "1{2}|12"];

function selectionOf(text: string, first: number, last: number, pattern: string | undefined): string {
	let selection = "";
	let number = 1;
	let line = "";
	const take = () => {
		const body = line.endsWith("\r\n") ? line.slice(0, -2) : line.endsWith("\n") ? line.slice(0, -1) : line;
		const matches = pattern === undefined || new RegExp(pattern, "i").test(body);
		if (line !== "" && number >= first && number <= last && matches) selection += line;
		number += 1;
		line = "";
	};
	for (let at = 0; at < text.length; at++) {
		line += text[at];
		if (text[at] === "\n") take();
	}
	take();
	return selection;
}

function assertSame(actual: string, expected: string, message: string): void {
	if (actual === expected) return;
	let at = 0;
	while (actual.charCodeAt(at) === expected.charCodeAt(at)) at += 1;
	assert.fail(`${message}: differs at unit ${at} (lengths ${actual.length} and ${expected.length})`);
}

test(`I2 exact: ${TEXTS} seeded texts, seed ${SEED}`, async () => {
	const random = generator(SEED);
	for (let round = 0; round < TEXTS; round++) {
		const handles = HANDLES.slice(0, random(4) === 0 ? 2 + random(2) : 1);
		const texts: Record<string, string> = Object.fromEntries(handles.map((handle) => [handle, textOf(random)]));
		const args: Arguments = { handles };
		let [first, last] = [1, Number.POSITIVE_INFINITY];
		if (random(3) === 0) {
			first = 1 + random(12);
			last = random(3) === 0 ? last : first + random(40);
			args.range = `${first}-${Number.isFinite(last) ? last : ""}`;
		}
		const pattern = random(3) === 0 ? PATTERNS[random(PATTERNS.length)]! : undefined;
		if (pattern !== undefined) args.grep = pattern;
		const expected = handles.map((handle) => selectionOf(texts[handle]!, first, last, pattern)).join("");
		const wanted = [1, 1 + random(10), 1 + random(500), 1 + random(50_000)][random(4)]!;
		const limit = Math.max(wanted, Math.ceil(expected.length / MOST_PAGES));
		args.limit = limit;

		const message = `seed ${SEED}, round ${round}, ${JSON.stringify(args)}`;
		const pages = await recallAll(texts, args);
		for (const page of pages) assert.ok(page.length > 0 && page.length <= limit, message);
		assertSame(pages.join(""), expected, message);

		if (expected.length > 0) {
			const offset = random(expected.length);
			const page = originalsIn(await recall(texts, { ...args, offset })).join("");
			assertSame(page, expected.slice(offset, offset + page.length), `${message}, offset ${offset}`);
		}
	}
});

const LARGE: [string, string][] = [
	["one line of 2 MB", "0123456789abcdef".repeat(131_072)],
	["one line of 2 MB with pairs and lone surrogates", "x😀\ud83d é".repeat(300_000)],
	[
		"200,000 lines",
		Array.from({ length: 200_000 }, (_, index) => `line ${index}${index % 3 ? "\n" : "\r\n"}`).join(""),
	],
];

for (const [name, text] of LARGE) {
	test(`I2 exact: ${name}`, async () => {
		const handle = HANDLES[0]!;
		const pages = await recallAll({ [handle]: text }, { handle, limit: 50_000 });
		assertSame(pages.join(""), text, name);
		const found = await recallAll({ [handle]: text }, { handle, grep: "9$|é$", limit: 50_000 });
		assertSame(found.join(""), selectionOf(text, 1, Number.POSITIVE_INFINITY, "9$|é$"), `${name}, grep`);
	});
}

const corpus = new URL("../../../shared/corpus/", import.meta.url);
const skip = existsSync(corpus) ? false : "no folder shared/corpus beside the repository";

test("I2 exact: every tool result of the recorded sessions", { skip }, async () => {
	for (const file of readdirSync(corpus).filter((name) => name.endsWith(".jsonl"))) {
		let results = 0;
		for (const line of readFileSync(new URL(file, corpus), "utf8").split("\n")) {
			const message = line.includes('"toolResult"') ? JSON.parse(line).message : undefined;
			if (message?.role !== "toolResult" || !Array.isArray(message.content)) continue;
			const text = message.content.map((block: { text?: string }) => block.text ?? "").join("");
			const handle = HANDLES[0]!;
			const limit = Math.max(1_000, Math.ceil(text.length / 5));
			assertSame((await recallAll({ [handle]: text }, { handle, limit })).join(""), text, `${file}, result ${results}`);
			results += 1;
		}
		assert.ok(results > 0, file);
	}
});
