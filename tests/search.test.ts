import assert from "node:assert/strict";
import { test } from "node:test";
import * as tui from "@earendil-works/pi-tui";
import { estimateTokens } from "../node_modules/@earendil-works/pi-coding-agent/dist/core/compaction/compaction.js";
import { Pattern } from "../src-ts/core.ts";
import { searchAnswer } from "../src-ts/search/answer.ts";
import { documents } from "../src-ts/search/documents.ts";
import { lowered } from "../src-ts/search/query.ts";
import { scan } from "../src-ts/search/scan.ts";
import { searchTool } from "../src-ts/search.ts";
import { plainTheme, toolOver } from "./recall/session.ts";
import { handleOf, handlesIn, Story } from "./search/session.ts";

/** Both declarations ride in each request. */
const MOST_DECLARED = 450;

test("both tools are declared in at most 450 tokens by Pi's own count", () => {
	const search = searchTool({
		host: { tui },
		handleOf,
		pattern: (pattern, caseSensitive) => new Pattern(pattern, caseSensitive),
		isCarried: () => false,
		past: { search: async () => undefined },
	});
	const toolsAdded = [search, toolOver({})].map(({ name, description, parameters }) => ({
		name,
		description,
		parameters,
	}));
	const tokens = estimateTokens({ role: "system", content: "", toolsAdded, timestamp: 0 } as never);
	assert.ok(tokens <= MOST_DECLARED, `${tokens} tokens`);
	assert.equal(search.promptSnippet ?? search.promptGuidelines, undefined);
});

/** A session with an output, a message and a call that share words. */
function workday(): Story & { ids: Record<string, string> } {
	const story = new Story();
	const ids: Record<string, string> = {};
	ids.first = story.user("Please find why parseInvoiceTotal drops the discount.");
	const read = story.call(
		"read",
		{ path: "src/invoice.ts", limit: 40 },
		"export function parseInvoiceTotal() {\n\treturn 0;\n}\n",
	);
	ids.read = read.result;
	const run = story.call(
		"bash",
		{ command: "npm test -- --grep discount" },
		"ok 1\nok 2\nnot ok 3 - total with discount\n  expected: 90\n  actual: 100\n",
		true,
	);
	ids.run = run.result;
	ids.runCall = run.call;
	ids.says = story.says("The rounding in parse_invoice_total is wrong.");
	ids.second = story.user("And the HTTPServer on port 8443?");
	ids.other = story.call("bash", { command: "grep -rn port src" }, "src/server.ts:12: listen(8443)\n").result;
	return Object.assign(story, { ids });
}

const handle = (id: string | undefined) => handleOf(id ?? "");

test("a query finds words, pieces of identifiers and phrases, in outputs, messages and call arguments", async () => {
	const story = workday();
	const { ids } = story;
	const { text } = await story.search({ query: "parseInvoiceTotal" });
	assert.deepEqual(new Set(handlesIn(text).slice(0, 3)), new Set([ids.first, ids.read, ids.says].map(handle)));
	const cases: [Record<string, unknown>, string[]][] = [
		[{ query: '"total with discount"' }, [handle(ids.run)]],
		[{ query: "rounding" }, [handle(ids.says)]],
		[{ query: "server", role: "user" }, [handle(ids.second)]],
		[{ query: "the rounding" }, [handle(ids.says)]],
		[{ query: "ROUNDING" }, [handle(ids.says)]],
		[{ query: "nothing of this kind" }, []],
		[
			{ query: "grep", role: "call" },
			[handle(story.manager.getEntry(ids.other ?? "")?.parentId ?? ""), handle(ids.runCall)],
		],
		[{ query: "expected", tool: "bash" }, [handle(ids.run)]],
		[{ query: "return", path: "invoice" }, [handle(ids.read)]],
		[{ query: "return", path: "other.ts" }, []],
		[{ query: "discount", turns: "2-" }, []],
		[{ query: "8443", turns: 2, role: "tool" }, [handle(ids.other)]],
	];
	for (const [args, expected] of cases) {
		assert.deepEqual((await story.hits(args)).sort(), expected.sort(), JSON.stringify(args));
	}
});

test("a pattern finds lines, newest first, and minds case where it is asked to", async () => {
	const story = workday();
	const { text, total } = await story.search({ pattern: "^ok \\d$|8443" });
	assert.equal(total, 4);
	assert.deepEqual(handlesIn(text), [handle(story.ids.other), handle(story.ids.second), handle(story.ids.run)]);
	assert.equal((await story.search({ pattern: "httpserver" })).total, 1);
	assert.equal((await story.search({ pattern: "httpserver", case_sensitive: true })).total, 0);
	assert.equal((await story.search({ pattern: "HTTPServer", case_sensitive: true })).total, 1);
	assert.match((await story.search({ pattern: "(discount" })).text, /no match.*searched as plain text/);
});

test("a hit tells its place and shows the line with its neighbours", async () => {
	const story = workday();
	const { text } = await story.search({ query: '"total with discount"' });
	assert.equal(
		text,
		[
			"[zip_search: 1 of 1 text, best first. zip_recall with a handle gets the exact text.]",
			`${handle(story.ids.run)} line 3 · turn 1 · in view · bash npm test -- --grep discount`,
			"  2| ok 2",
			"> 3| not ok 3 - total with discount",
			"  4| expected: 90",
		].join("\n"),
	);
});

test("hits in lines that share their neighbours are shown as one, each line once", async () => {
	const story = new Story();
	story.user("go");
	const { result } = story.call("bash", { command: "report" }, "a\nhit 1\nhit 2\nb\nhit 3\nc\nd\nhit 4\ne\n");
	const { text, total } = await story.search({ pattern: "^hit" });
	assert.equal(total, 4);
	const of = "turn 1 · in view · bash report";
	assert.deepEqual(text.split("\n").slice(1), [
		`${handle(result)} lines 2, 3, 5 · ${of}`,
		...["  1| a", "> 2| hit 1", "> 3| hit 2", "  4| b", "> 5| hit 3", "  6| c"],
		`${handle(result)} line 8 · ${of}`,
		...["  7| d", "> 8| hit 4", "  9| e"],
	]);
});

test("from each hit a recall gets the exact text, arguments and messages too", async () => {
	const story = new Story();
	const odd = "const a = `b`;\r\n\tlone \ud800 half\u2028\u0000 needle\n";
	story.user(`needle in a message ${odd}`);
	story.call("write", { path: "needle.ts", content: odd, mode: 420, flags: { sync: true, note: `needle ${odd}` } }, "");
	story.call("edit", { path: "a.ts", edits: [{ oldText: "x", newText: odd }] }, odd);
	story.says(odd);
	const wanted = [`needle in a message ${odd}`, "needle.ts", odd, `needle ${odd}`, odd, odd, odd].sort();
	const found: string[] = [];
	const handles = await story.hits({ query: "needle" });
	for (const handle of handles) {
		const [, text] = await story.recall({ handle });
		found.push(text ?? "nothing");
	}
	assert.deepEqual(found.sort(), wanted);
	const call = story.manager.getBranch().find((entry) => JSON.stringify(entry).includes('"write"'));
	assert.deepEqual(
		(await story.recall({ handle: handle(call?.id) })).filter((_, index) => index % 2 === 1),
		["needle.ts", odd, `needle ${odd}`, "mode: 420\nflags.sync: true"],
	);
});

test("what is folded, compacted away or on a left branch is found and said so", async () => {
	const story = workday();
	const { manager, ids } = story;
	const place = async (query: string, where?: string) =>
		/ · turn \d+ · ([\w ]+) · /.exec((await story.search({ query, where })).text)?.[1];
	assert.equal(await place('"total with discount"'), "in view");
	manager.appendContextEdit(ids.run ?? "", { content: [{ type: "text", text: "[folded by pi-zip, handle x]" }] });
	assert.equal(await place('"total with discount"'), "folded");
	const original = manager.getEntry(ids.run ?? "") as { message: { content: { type: "text"; text: string }[] } };
	manager.appendContextEdit(ids.run ?? "", { content: structuredClone(original.message.content) });
	assert.equal(await place('"total with discount"'), "in view", "it was unfolded");
	manager.appendContextEdit(ids.read ?? "", { content: "gone" });
	assert.equal(await place('"return 0"'), "edited");
	manager.appendCompaction("A summary of invoices.", ids.second ?? "", 100);
	assert.equal(await place('"total with discount"'), "out of view");
	assert.equal(await place('"summary of invoices"'), "in view");
	manager.branch(ids.says ?? "");
	assert.equal(await place("8443"), undefined);
	assert.equal(await place('"listen(8443)"', "removed"), "left branch");
});

test("pages follow one another and cover all hits once", async () => {
	const story = new Story();
	story.user("go");
	for (let n = 0; n < 45; n += 1) story.call("bash", { command: `step ${n}` }, `step ${n} passed\nfine\n`);
	for (const args of [{ pattern: "^step \\d+ passed$" }, { query: "passed", role: "tool" }]) {
		const seen: string[] = [];
		let next: Record<string, unknown> | undefined = args;
		let pages = 0;
		for (; next; pages += 1) {
			const { text } = await story.search(next);
			seen.push(...handlesIn(text));
			const call = /\[Next: zip_search (\{.*\})\]$/.exec(text)?.[1];
			next = call === undefined ? undefined : JSON.parse(call);
		}
		assert.equal(pages, 3, JSON.stringify(args));
		assert.equal(seen.length, 45);
		assert.equal(new Set(seen).size, 45);
	}
	assert.match(
		(await story.search({ query: "passed", role: "tool", offset: 45 })).text,
		/past the end: there are 45 texts/,
	);
});

test("what has no sensible reading is refused", async () => {
	const story = workday();
	for (const [args, reason] of [
		[{}, /give query/],
		[{ query: " " }, /give query/],
		[{ query: "a", pattern: "b" }, /not both/],
		[{ query: "a", where: "nowhere" }, /where "nowhere" is none of/],
		[{ query: "a", role: "nobody" }, /role "nobody"/],
		[{ query: "a", turns: "x" }, /turns "x"/],
		[{ query: "a", turns: "5-2" }, /end before they begin/],
		[{ query: "a", limit: -1 }, /limit -1/],
		[{ query: "a", offset: 1.5 }, /offset 1.5/],
	] as const) {
		const { text, isError } = await story.search(args);
		assert.match(text, reason, JSON.stringify(args));
		assert.ok(isError);
	}
});

test("what these tools answered is not found again", async () => {
	const story = workday();
	story.call("zip_search", { query: "discount" }, "discount discount discount");
	story.call("zip_recall", { handle: "0abc123def" }, "discount discount discount");
	assert.equal((await story.search({ query: "discount" })).total, 3);
});

test("patterns that blow up elsewhere are searched or taken as plain text", async () => {
	const story = new Story();
	story.user("go");
	story.call("bash", { command: "x" }, `${"a".repeat(29)}!\n${"x".repeat(2_000_000)}needle\n(a+)+$ as text\n`);
	for (const [pattern, total] of [
		["^(a+)+$", 0],
		["(x+x+)+y", 0],
		["x+needle", 1],
		[" ".repeat(5_000), 0],
		["(a+)+$ as", 0],
		["(?=a)", 0],
	] as const) {
		assert.equal((await story.search({ pattern })).total, total, pattern.slice(0, 20));
	}
});

test("a pattern ends at its deadline, reading the session included, and says how far it came", async () => {
	const story = new Story();
	for (let n = 1; n <= 9; n += 1) story.user(`line ${n}`);
	const request = { pattern: "[0-9]", caseSensitive: false, where: "session", limit: 20, offset: 0 } as const;
	/** Each look at the clock takes a while: all of it is the search's own time. */
	const search = (step: number) => {
		let clock = 0;
		return scan(documents(story.manager, request), request, {
			pattern: (pattern, caseSensitive) => new Pattern(pattern, caseSensitive),
			now: () => {
				clock += step;
				return clock;
			},
			pause: async () => {},
		});
	};
	const whole = await search(1);
	assert.equal(whole.downTo, undefined);
	assert.equal(whole.total, 9);
	// Reading takes some 18 looks, each text two more.
	const part = await search(35);
	assert.ok(part.total > 0 && part.total < 9, `${part.total}`);
	assert.equal(part.downTo, 9 - part.total);
	assert.equal((await search(100)).total, 0);
	const shown = searchAnswer(part, request, {
		session: story.manager as never,
		handleOf,
		suffix: "",
		placeOf: () => [],
	});
	const rest = `Time was up: searched from the newest down to turn ${part.downTo}; for the rest ask with turns "0-${part.downTo}"`;
	assert.ok(shown.content[0]?.text.includes(rest), shown.content[0]?.text);
});

test("a search that is refused is not drawn as one that found nothing", () => {
	const tool = searchTool({
		host: { tui },
		handleOf,
		pattern: (pattern, caseSensitive) => new Pattern(pattern, caseSensitive),
		isCarried: () => false,
		past: { search: async () => undefined },
	});
	const args = { query: "absent" };
	for (const [isError, outcome] of [
		[false, "no match"],
		[true, "refused"],
	] as const) {
		const context = { state: {}, isError } as Parameters<NonNullable<typeof tool.renderResult>>[3];
		const theme = plainTheme as Parameters<NonNullable<typeof tool.renderResult>>[2];
		const row = tool.renderCall!(args, theme, context);
		const result = { content: [], details: { shown: 0, total: 0 } };
		tool.renderResult!(result, { expanded: false, isPartial: false }, theme, context);
		assert.deepEqual(row.render(80), [`zip_search "absent" · ${outcome}`]);
	}
});

test("a query or pattern of any length is answered at once, and one letter costs no more than another", async () => {
	const story = new Story();
	story.user(`needle \u0130 ${"a line of the report\n".repeat(100_000)}NEEDLE`);
	const { text, isError } = await story.search({ query: "\u201c".repeat(30_000) });
	assert.ok(isError);
	assert.match(text, /30000 characters are more than is looked for: give 2000 at most/);
	assert.equal((await story.search({ query: "needle report" })).total, 1);
	assert.equal(lowered("A\u0130B"), "a\u0130b");
});

test("a stop ends the search between two texts", async () => {
	const story = new Story();
	story.user("go");
	for (let n = 0; n < 60; n += 1) story.call("bash", { command: "x" }, "some words here\n".repeat(20_000));
	const stop = new AbortController();
	setImmediate(() => stop.abort());
	const { text, isError } = await story.search({ query: "words" }, stop.signal);
	assert.match(text, /stopped/);
	assert.ok(isError);
});

test("the user's own commands and messages of extensions are found, and recalled as they are", async () => {
	const story = new Story();
	story.user("Look at the flux capacitor.");
	const output = `${"a line\n".repeat(300)}flux drops to 3\r\n\ud83d end`;
	const command = story.manager.appendMessage({
		role: "bashExecution",
		command: "./measure --flux",
		output,
		exitCode: 0,
		cancelled: false,
		truncated: false,
		timestamp: 1,
	});
	const note = story.manager.appendCustomMessageEntry("reminder", "Mind the flux, at all times.", true);
	const hits = await story.hits({ query: "flux", role: "user" });
	const handles = [`${handleOf(command)}.1`, `${handleOf(command)}.2`, handleOf(note)];
	assert.ok(
		handles.every((handle) => hits.includes(handle)),
		`${hits} of ${handles}`,
	);
	const [, first] = await story.recall({ handle: handles[0] });
	const [, second] = await story.recall({ handle: handles[1] });
	const [, third] = await story.recall({ handle: handles[2] });
	assert.deepEqual([first, second, third], ["./measure --flux", output, "Mind the flux, at all times."]);
});
