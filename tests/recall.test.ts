import assert from "node:assert/strict";
import { test } from "node:test";
import { visibleWidth } from "@earendil-works/pi-tui";
import { RECALL_TOOL, type recallTool } from "../src-ts/recall.ts";
import { type Arguments, nextCall, originalsIn, plainTheme, recall, recallAll, toolOver } from "./recall/session.ts";

const A = "0aaaaaaaa1";
const B = "0bbbbbbbb2";
const C = "0cccccccc3";
const LINES = "one\ntwo\r\nthree\nfour";
/** Characters to a token, as a rule of thumb for English and JSON. */
const CHARACTERS_PER_TOKEN = 4;

/** One text under `A`; the answer's blocks. */
async function blocks(text: string, args: Arguments): Promise<(string | undefined)[]> {
	return (await recall({ [A]: text }, { handle: A, ...args })).content.map((block) => block.text);
}

test("the declaration stays within 250 tokens and adds nothing to the system prompt", () => {
	const tool = toolOver({});
	const declared = JSON.stringify({ name: tool.name, description: tool.description, input_schema: tool.parameters });
	assert.ok(declared.length / CHARACTERS_PER_TOKEN <= 235, `${declared.length} characters`);
	assert.equal(tool.name, RECALL_TOOL);
	assert.equal(tool.promptSnippet, undefined);
	assert.equal(tool.promptGuidelines, undefined);
});

test("a selection comes back with the original's line numbers", async () => {
	const cases: [Arguments, string, string][] = [
		[{}, LINES, `[zip_recall ${A}: bash npm test. Lines 1-4 of 4 lines. Characters 0 to 19 of 19.]`],
		[
			{ range: "2-3" },
			"two\r\nthree\n",
			`[zip_recall ${A}: bash npm test. Lines 2-3 of 4 lines, 2 selected in lines 2-3. Characters 0 to 11 of 11 selected.]`,
		],
		[
			{ grep: "O" },
			"one\ntwo\r\nfour",
			`[zip_recall ${A}: bash npm test. Lines 1-2, 4 of 4 lines, 3 selected for grep "O". Characters 0 to 13 of 13 selected.]`,
		],
		[
			{ grep: "(o", range: "4-" },
			"",
			`[zip_recall ${A}: bash npm test. grep "(o" is no expression that the search takes: searched as plain text. The original has no match for grep "(o" in lines 4-; it has 4 lines.]`,
		],
		[{ range: "9-" }, "", `[zip_recall ${A}: bash npm test. The original holds no line in lines 9-; it has 4 lines.]`],
	];
	for (const [args, text, described] of cases) {
		assert.deepEqual(await blocks(LINES, args), text === "" ? [described] : [described, text], JSON.stringify(args));
	}
	assert.deepEqual(await blocks("", {}), [`[zip_recall ${A}: bash npm test. The original is empty.]`]);
});

test("ranges are read as people write them", async () => {
	const text = "1\n2\n3\n4\n5\n";
	const cases: [unknown, string | undefined][] = [
		["2-4", "2\n3\n4\n"],
		["4-", "4\n5\n"],
		["-2", "1\n2\n"],
		["3", "3\n"],
		[3, "3\n"],
		[[2, 3], "2\n3\n"],
		["lines 2 – 3", "2\n3\n"],
		["L2:L3", "2\n3\n"],
		["0-1", "1\n"],
		["", text],
		[null, text],
		["4-2", undefined],
		["0", undefined],
		["-", undefined],
		["a-b", undefined],
		["1-2-3", undefined],
	];
	for (const [range, expected] of cases) {
		const result = await recall({ [A]: text }, { handle: A, range });
		assert.equal(originalsIn(result)[0], expected, JSON.stringify(range));
		assert.equal(result.isError ?? false, expected === undefined, JSON.stringify(range));
		if (result.isError) assert.match(result.content[0]!.text!, /range/);
	}
});

test("handles are found in what models write around them", async () => {
	const texts = { [A]: "a", [B]: "b" };
	const cases: [Arguments, string[]][] = [
		[{ handle: `handle ${A}` }, ["a"]],
		[{ handle: `[${A.toUpperCase()}].` }, ["a"]],
		[{ handle: `"Handle: ${A}"` }, ["a"]],
		[{ handle: `[folded by pi-zip · everything typescript · handle ${A}]` }, ["a"]],
		[{ handle: `${A}, ${B}` }, ["a", "b"]],
		[{ handles: `["${B}","${A}"]` }, ["b", "a"]],
		[{ handle: A, handles: [A, `handle ${B}`, B] }, ["a", "b"]],
		[{ handle: "", handles: [B] }, ["b"]],
	];
	for (const [args, expected] of cases) {
		assert.deepEqual(originalsIn(await recall(texts, args)), expected, JSON.stringify(args));
	}
});

test("what cannot be answered is said so that the next call can be right", async () => {
	const texts = { [A]: "abc", [B]: null };
	const cases: [Arguments, RegExp][] = [
		[{}, /give the handle/],
		[{ handle: "handle" }, /give the handle/],
		[{ handle: "0AAAAAAAA2" }, new RegExp(`No output has the handle 0aaaaaaaa2; nearest: ${A}, ${B}`)],
		[{ handle: "x1" }, /No output has the handle x1/],
		[{ handle: B }, new RegExp(`entry behind ${B} is no longer in the session`)],
		[{ handle: A, offset: 3 }, /offset 3 is past the end: there are 3 characters/],
		[{ handle: A, offset: 1e12 }, /past the end/],
		[{ handle: A, offset: -1 }, /offset -1 is no whole number/],
		[{ handle: A, offset: "x" }, /offset "x" is no whole number/],
		[{ handle: A, limit: 1.5 }, /limit 1.5 is no whole number/],
	];
	for (const [args, expected] of cases) {
		const result = await recall(texts, args);
		assert.match(result.content[0]!.text!, expected, JSON.stringify(args));
		assert.equal(result.isError, true, JSON.stringify(args));
		assert.equal(result.content.length, 1);
	}
});

test("an unknown handle does not take the others' answers away", async () => {
	const result = await recall({ [A]: "abc", [B]: null }, { handles: [C, A, B] });
	assert.deepEqual(originalsIn(result), ["abc"]);
	assert.equal(result.isError, undefined);
	assert.match(result.content.at(-1)!.text!, new RegExp(`${C}; nearest.*behind ${B} is no longer`));
	assert.deepEqual(result.details, {
		recalled: [{ handle: A, entryId: `entry-${A}`, from: 0, to: 3, of: 3 }],
		unknown: [C],
		lost: [B],
	});
});

test("several handles share one page, and those that do not fit are named with the call that fetches them", async () => {
	const texts = { [A]: "a".repeat(30), [B]: "b".repeat(30), [C]: "c".repeat(30) };
	const args = { handles: [A, B, C], limit: 40 };
	const first = await recall(texts, args);
	assert.deepEqual(originalsIn(first), ["a".repeat(30), "b".repeat(10)]);
	assert.equal(
		first.content.at(-1)!.text,
		`[zip_recall: 20 characters of ${B} are left. Not on this page: ${C}. Next: zip_recall {"handles":["${B}","${C}"],"offset":10,"limit":40}]`,
	);
	assert.deepEqual(originalsIn(await recall(texts, nextCall(first)!)), ["b".repeat(20), "c".repeat(20)]);
	assert.equal((await recallAll(texts, args)).join(""), Object.values(texts).join(""));

	const exact = await recall(texts, { handles: [A, B], limit: 30 });
	assert.equal(
		exact.content.at(-1)!.text,
		`[zip_recall: Not on this page: ${B}. Next: zip_recall {"handle":"${B}","limit":30}]`,
	);
	assert.deepEqual(originalsIn(await recall(texts, { handles: [A, B, C], offset: 45, limit: 20 })), [
		"b".repeat(15),
		"c".repeat(5),
	]);
});

test("the default page is 20,000 characters, the largest 50,000", async () => {
	const text = "x".repeat(60_000);
	for (const [limit, expected] of [
		[undefined, 20_000],
		[0, 20_000],
		[7, 7],
		[50_000, 50_000],
		[1e9, 50_000],
	]) {
		assert.equal(originalsIn(await recall({ [A]: text }, { handle: A, limit }))[0]!.length, expected, `${limit}`);
	}
});

test("a page splits a pair only where it makes no progress otherwise", async () => {
	assert.deepEqual(await recallAll({ [A]: "a😀b" }, { handle: A, limit: 2 }), ["a", "😀", "b"]);
	assert.deepEqual(await recallAll({ [A]: "a😀" }, { handle: A, limit: 1 }), ["a", "\ud83d", "\ude00"]);
	assert.deepEqual(await recallAll({ [A]: "abc", [B]: "😀" }, { handles: [A, B], limit: 4 }), ["abc", "😀"]);
});

test("expressions from nowhere good are searched in time that the text bounds", async () => {
	const haystack = `${"a".repeat(40)}!\n`.repeat(2_000);
	for (const grep of [
		"^(a+)+$",
		"(a*)*b",
		"a{1000}{1000}",
		"(?=a)",
		" ".repeat(5_000),
		"(".repeat(5_000),
		"(a|aa)+$",
	]) {
		const result = await recall({ [A]: haystack }, { handle: A, grep });
		assert.equal(originalsIn(result).length, 0, grep.slice(0, 20));
		assert.ok(result.content[0]!.text!.length < 500, "a long pattern is not repeated");
	}
});

test("the transcript shows one line, and what came back when expanded", async () => {
	const tool = toolOver({ [A]: `plain \x1b[31mred\x1b[0m\u0000\ttab\n${"漢".repeat(90)}` });
	const args = { handle: A, grep: "n" };
	const result = await tool.execute("call", args, undefined, undefined, {} as never);
	const context = { state: {} } as Parameters<NonNullable<ReturnType<typeof recallTool>["renderCall"]>>[2];
	const call = tool.renderCall!(args, plainTheme, context);
	assert.deepEqual(call.render(80), [`zip_recall ${A} grep "n"`]);

	const collapsed = tool.renderResult!(result, { expanded: false, isPartial: false }, plainTheme, context);
	assert.deepEqual(collapsed.render(80), []);
	assert.deepEqual(call.render(80), [`zip_recall ${A} grep "n" · 24 characters`]);

	const whole = await tool.execute("call", { handle: A }, undefined, undefined, {} as never);
	const expanded = tool.renderResult!(whole, { expanded: true, isPartial: false }, plainTheme, context).render(40);
	assert.ok(expanded.includes("plain red    tab"), JSON.stringify(expanded));
	for (const line of [...expanded, ...call.render(40), ...call.render(1)]) {
		assert.doesNotMatch(line, /[\x00-\x1a\x1c-\x1f]/);
		assert.ok(visibleWidth(line) <= 40, line);
	}
});
