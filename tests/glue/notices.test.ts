/** What the user is told of folds, where, and how it is drawn. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type {
	EntryRenderer,
	EntryRenderOptions,
	ExtensionAPI,
	ExtensionContext,
} from "@earendil-works/pi-coding-agent";
import * as host from "@earendil-works/pi-coding-agent";
import * as tui from "@earendil-works/pi-tui";
import type { WireCache } from "../../src-ts/asked.ts";
import { coldReason, type FoldNotice, foldLine, listed, Notices } from "../../src-ts/notices.ts";
import { plainTheme } from "../recall/session.ts";

const NOTICE: FoldNotice = {
	version: 1,
	before: 84_000,
	after: 21_400,
	reason: "the prompt cache expired (12 min idle, lives 5 min)",
	recallable: true,
	folds: [
		{ handle: "0a1b2c3d4e", subject: "npm test", tokens: 9_300 },
		{ handle: "0f9e8d7c6b", subject: "src/漢字漢字漢字漢字漢字漢字漢字/\u001b[31mred.ts", tokens: 640 },
	],
};

test("why a return is cold, in words", () => {
	const cache: WireCache = {
		...{ state: "cold", warm: 0, kind: "explicit", source: "declared", retention: "short" },
		...{ because: undefined, idle: undefined, lifetime: undefined, coldAt: undefined },
	};
	assert.equal(coldReason({ ...cache, because: "modelChanged" }), "another model, so nothing is cached");
	assert.equal(coldReason({ ...cache, because: "noCache" }), "no prompt cache in use");
	assert.equal(
		coldReason({ ...cache, because: "expired", idle: 720_000, lifetime: 300_000 }),
		"the prompt cache expired (12 min idle, lives 5 min)",
	);
});

test("the line for clients", () => {
	assert.equal(foldLine(NOTICE), `pi-zip · 84K → 21K · 2 outputs folded · ${NOTICE.reason}`);
});

/** Notices with what they say and keep, and their renderer. */
function listen() {
	const told: string[] = [];
	let renderer: EntryRenderer<FoldNotice> | undefined;
	const pi = {
		registerEntryRenderer: (_type: string, render: EntryRenderer<FoldNotice>) => {
			renderer = render;
		},
		appendEntry: (type: string) => void told.push(`entry ${type}`),
	} as unknown as ExtensionAPI;
	const notices = new Notices(pi, { pi: host, tui });
	const context = (mode: ExtensionContext["mode"]) =>
		({
			mode,
			hasUI: mode === "tui" || mode === "rpc",
			ui: { notify: (line: string) => void told.push(line) },
		}) as ExtensionContext;
	const draw = (data: unknown, expanded: boolean, width: number) =>
		renderer?.(
			{ data } as Parameters<EntryRenderer<FoldNotice>>[0],
			{ expanded } as EntryRenderOptions,
			plainTheme,
		)?.render(width);
	return { told, notices, context, draw };
}

test("a fold is an entry in the terminal, a notification over RPC, and nothing in print and JSON modes", () => {
	const { told, notices, context } = listen();
	for (const mode of ["tui", "rpc", "print", "json"] as const) notices.folded(NOTICE, context(mode));
	assert.deepEqual(told, ["entry pi-zip.fold", foldLine(NOTICE)]);
});

test("quiet leaves out folds, and nothing else", () => {
	const { told, notices, context } = listen();
	notices.quiet = true;
	notices.folded(NOTICE, context("tui"));
	notices.say("folding paused", context("tui"));
	notices.say("folding paused", context("json"));
	assert.deepEqual(told, ["folding paused"]);
});

test("the entry as it is drawn", () => {
	const { draw } = listen();
	assert.deepEqual(draw(NOTICE, false, 80), [" 84K → 21K ██░░░░░░ 2 folded · pi-zip"]);
	const [head, reason, ...items] = draw(NOTICE, true, 100) ?? [];
	assert.equal(head, " 84K → 21K ██░░░░░░ 2 folded · pi-zip");
	assert.equal(reason, `   ${NOTICE.reason}; each comes back by zip_recall`);
	assert.equal(items[0], "  9.3K  0a1b2c3d4e npm test");
	assert.equal(items.length, 2);
});

test("a cold return says what its prompt would have cost, and what it costs now", () => {
	const { draw } = listen();
	const cost = { before: 0.315, after: 0.0788, inDollars: true };
	const told = { ...NOTICE, cost };
	assert.deepEqual(draw(told, false, 80), [" 84K → 21K ██░░░░░░ $0.32 → $0.0788 · 2 folded · pi-zip"]);
	assert.deepEqual(draw(told, false, 40), [" 84K → 21K $0.32 → $0.0788 · 2 folded"]);
	assert.equal(foldLine(told), `pi-zip · 84K → 21K · 2 outputs folded · $0.32 → $0.0788 · ${NOTICE.reason}`);
	const unpriced = { ...NOTICE, cost: { before: 84_000, after: 21_000, inDollars: false } };
	assert.deepEqual(draw(unpriced, false, 80), [" 84K → 21K ██░░░░░░ costs 75 % less · 2 folded · pi-zip"]);
	assert.equal(draw({ ...NOTICE, cost: { before: "much" } }, false, 80), undefined);
	assert.equal(draw({ ...NOTICE, cost: null }, false, 80), undefined);
});

test("no line is wider than the terminal, none holds a control character", () => {
	const { draw } = listen();
	for (const width of [1, 10, 40, 80]) {
		for (const line of draw(NOTICE, true, width) ?? assert.fail()) {
			assert.ok(tui.visibleWidth(line) <= width, `${width}: ${line}`);
			assert.ok(!line.includes("\u001b[31m"));
		}
	}
	const bar = (before: number, after: number) => /[█░]+/.exec(draw({ ...NOTICE, before, after }, false, 80)![0]!)?.[0];
	assert.deepEqual(
		[bar(0, 0), bar(100, 1), bar(100, 100), bar(100, 200)],
		["████████", "█░░░░░░░", "████████", "████████"],
	);
});

test("an entry of another shape is not drawn", () => {
	const { draw } = listen();
	for (const data of [undefined, {}, { version: 2, folds: [] }, { version: 1 }])
		assert.equal(draw(data, false, 80), undefined);
});

test("a notice lists the largest folds and counts the rest", () => {
	const folds = Array.from({ length: 120 }, (_, n) => ({ handle: `h${n}`, subject: "bash: ls", tokens: n }));
	const list = listed(folds);
	assert.equal(list.folds.length, 50);
	assert.equal(list.folds[0]?.tokens, 119);
	assert.equal(list.more, 70);
	assert.match(foldLine({ version: 1, before: 2, after: 1, reason: "", recallable: true, ...list }), /120 outputs/);
	assert.deepEqual(listed(folds.slice(0, 2)), { folds: [folds[1], folds[0]] });
});
