/**
 * I6: whatever throws or traps, the request goes out as Pi made it, the user is told once, and the next cold return
 * folds again. The hooks and the module's exports are read from the code: one without a case fails.
 */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { clock } from "../world/clock.ts";
import { faults } from "../world/faults.ts";
import { type Answer, LIFETIME } from "../world/model.ts";
import { type Factory, folds, inWorld, type World } from "../world/pi.ts";
import { task, taskPrompts, withOrphan } from "../world/tasks.ts";

const ROOT = join(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(join(ROOT, file), "utf8");

/** What is done while something fails. */
type Occasion = (world: World) => Promise<void>;

const comeBack: Occasion = async (world) => {
	clock.advance(LIFETIME);
	await world.prompt("Back again.", task(20));
};
/** Milliseconds after which something can be learned of the cache, warm though it is. */
const GAP = 60_000;
const goOn: Occasion = (world) => world.prompt("Go on.", task(30));
const restart: Occasion = (world) => world.restart();
const moveInTree: Occasion = async (world) => {
	await world.session.navigateTree(world.manager.getBranch().at(-4)?.id ?? "");
};
/** What Pi's warmer asks before it refreshes the cache, in dollars; without an answer it does. */
const beWarmed: Occasion = async (world) => {
	const asked = { warmCost: 0.1, missCost: 1, continuationProbability: 0.15, action: "warm" } as const;
	const { extensionRunner } = world.session;
	const answer = await extensionRunner.emitCacheWarmingDecision({ type: "cache_warming_decision", ...asked });
	assert.ok(["warm", "stop"].includes(answer));
};
const think: Occasion = async (world) => {
	const { extensionRunner } = world.session;
	await extensionRunner.emit({ type: "thinking_level_select", level: "high", previousLevel: "off" });
};
const compact: Occasion = async (world) => {
	await world.session.compact();
};
const status: Occasion = (world) => world.command("/zip");

const complaints = ({ notices }: World) => notices.filter((notice) => /failed|no figures/.test(notice));

/** The requests from `from` on are those of plain Pi, but for what was folded before. */
function assertUntouched({ requests }: World, from: number): void {
	assert.ok(requests.length > from);
	for (const [index, { untouched, view, seen }] of requests.slice(from).entries()) {
		assert.ok(JSON.stringify(view) === JSON.stringify(seen), `view ${index} is not Pi's`);
		assert.ok(untouched, `request ${index}: not the very list and body went out`);
	}
}

/** Something more is folded at the next return, and nothing more is said of failures. */
async function assertWorksAgain(world: World): Promise<void> {
	const [said, before] = [complaints(world).length, world.requests.length > 0 ? folds(world.last).size : 0];
	await taskPrompts(world, 3, 40);
	await comeBack(world);
	assert.ok(folds(world.last).size > before, "the next return folds");
	assert.equal(complaints(world).length, said);
}

interface HookCase {
	/** What makes Pi call it. */
	readonly by: Occasion;
	/** Handlers that listen to it, if not one. */
	readonly handlers?: number;
	/** Whether it looks at its event or context at all, so that odd ones make it throw. */
	readonly throws: boolean;
	/** Whether the requests of that occasion are Pi's own. */
	readonly untouched?: boolean;
	/** Drafts of others are invalid, so that something is left to persist. */
	readonly voided?: boolean;
}

const HOOKS: Record<string, HookCase> = {
	session_start: { by: restart, throws: true },
	session_shutdown: { by: restart, throws: true },
	session_tree: { by: moveInTree, throws: false },
	session_before_compact: { by: compact, throws: true },
	session_compact: { by: compact, throws: true },
	session_before_tree: { by: moveInTree, throws: true },
	model_select: { by: (world) => world.useModel("two"), throws: false },
	thinking_level_select: { by: think, throws: false },
	input: { by: goOn, throws: true, untouched: true },
	before_agent_start: { by: goOn, throws: true, untouched: true },
	context_with_system: { by: comeBack, handlers: 2, throws: true, untouched: true },
	before_provider_request: { by: goOn, throws: true, untouched: true },
	message_end: { by: goOn, throws: true, untouched: true },
	turn_end: { by: comeBack, throws: true },
	agent_end: { by: comeBack, throws: true, voided: true },
	agent_before_settle: { by: comeBack, throws: true, voided: true },
	agent_settled: { by: goOn, throws: true },
	cache_warming_decision: { by: beWarmed, throws: true },
};

test("I6 fail open: each hook has a case", () => {
	const table = /interface Events \{([\s\S]*?)\n\}/.exec(read("src-ts/hooks.ts"))?.[1] ?? "";
	const names = [...table.matchAll(/^\t(\w+): \[/gm)].map(([, name]) => name!);
	assert.deepEqual(names, Object.keys(HOOKS));
});

/** What the user is told with stays whole: nobody can be told otherwise. */
const TELLING = ["hasUI", "ui", "mode"];

function odd<T extends object>(value: T, spared: readonly string[] = []): T {
	return new Proxy(value, {
		get(target, key) {
			if (spared.includes(String(key))) return Reflect.get(target, key);
			throw new Error(`${String(key)} is odd`);
		},
	});
}

type Handler = (event: object, ctx: object) => unknown;

for (const [name, { by, handlers = 1, throws, untouched, voided }] of Object.entries(HOOKS)) {
	test(`I6 fail open: ${name} is given an event and a context that throw`, async () => {
		let left = 0;
		let calls = 0;
		const wrap = (api: ExtensionAPI): ExtensionAPI => {
			const on = (hook: string, handler: Handler) =>
				(api.on as (hook: string, handler: Handler) => unknown)(hook, (event, ctx) => {
					if (left === 0 || hook !== name) return handler(event, ctx);
					left -= 1;
					calls += 1;
					return handler(odd(event), odd(ctx, TELLING));
				});
			return new Proxy(api, { get: (target, key) => (key === "on" ? on : Reflect.get(target, key)) });
		};
		const voiding: Factory = (api) => {
			api.on("turn_end", (event) =>
				voided && calls === 0
					? { entries: [...event.entries, { type: "context_edit", targetId: "nowhere", replacement: null }] }
					: undefined,
			);
		};
		await inWorld({ wrap, behind: [voiding] }, async (world) => {
			await taskPrompts(world, 4);
			const from = world.requests.length;
			left = handlers;
			await by(world);
			assert.equal(calls, handlers, "so many handlers were called");
			assert.equal(complaints(world).length, throws ? 1 : 0, complaints(world).join("\n"));
			if (untouched) assertUntouched(world, from);
			await assertWorksAgain(world);
			if (!voided) assert.deepEqual(world.errors, [], "Pi sees no throw");
		});
	});
}

type CalledAt =
	| "start"
	| "return"
	| "learned"
	| "warming"
	| "orphan"
	| "recall"
	| "search"
	| "compaction"
	| "status"
	| "unfolding"
	| "shutdown";

/** For each function of the module, on what occasion it is called; none where JavaScript never calls it. */
const EXPORTS: Record<string, CalledAt | undefined> = {
	__wbg_core_free: "shutdown",
	__wbg_pattern_free: "search",
	core_aimAt: "return",
	core_checks: "return",
	core_cut: "compaction",
	core_digest: "return",
	core_editNumbers: "return",
	core_editTexts: "return",
	core_figures: "return",
	core_evidence: "learned",
	core_new: "start",
	core_plan: "return",
	core_readUpTo: "unfolding",
	core_refreshPays: "warming",
	core_status: "status",
	core_summary: "compaction",
	core_survival: "status",
	core_sync: "return",
	core_wanted: "return",
	findOrphans: "orphan",
	handleOf: "recall",
	install: undefined,
	observe: "learned",
	pattern_isPlain: "search",
	pattern_lines: "search",
	pattern_literal: "search",
	pattern_new: "search",
	recallPage: "recall",
	survivalEdges: "learned",
	__wbindgen_malloc: "return",
	__wbindgen_realloc: "recall",
	__wbindgen_free: "return",
	__wbindgen_exn_store: undefined,
	__externref_table_alloc: undefined,
	__externref_table_dealloc: "return",
	__wbindgen_start: "start",
};

test("I6 fail open: each export of the module has a case", () => {
	const declared = read("build/core/core_bg.wasm.d.ts").matchAll(/^export const (\w+): \(/gm);
	assert.deepEqual(Array.from(declared, ([, name]) => name).sort(), Object.keys(EXPORTS).sort());
});

function recallOf(world: World): Answer[] {
	const [placeholder = ""] = folds(world.last).values();
	const handle = /handle (\w{10})/.exec(placeholder)?.[1] ?? "none";
	return [{ calls: [{ id: "r", name: "zip_recall", args: { handle }, output: "" }] }, { text: "Fetched." }];
}

function searchFor(text: string): Answer[] {
	return [{ calls: [{ id: "s", name: "zip_search", args: { pattern: text }, output: "" }] }, { text: "Found." }];
}

const recalled = ({ last }: World) => JSON.parse(last.view.at(-1) ?? "{}") as { isError: boolean; content: object[] };

for (const [name, occasion] of Object.entries(EXPORTS)) {
	test(`I6 fail open: ${name} traps`, async () => {
		const session = occasion === "orphan" ? withOrphan() : undefined;
		await inWorld({ session }, async (world) => {
			if (occasion !== "start") await taskPrompts(world, 4);
			if (occasion === "recall" || occasion === "unfolding") await comeBack(world);
			// So much that it is worth learning whether the cache kept it.
			if (occasion === "learned") await taskPrompts(world, 4, 50);
			const from = world.requests.length;
			const said = complaints(world).length;
			// An instance is made in the place of one that has trapped.
			if (occasion === "start") faults.arm("core_sync", 1, name);
			else faults.arm(name);
			switch (occasion) {
				case "start":
					await goOn(world);
					assertUntouched(world, from);
					break;
				case "orphan": {
					await goOn(world);
					const [failed, next] = world.requests.slice(from);
					assert.deepEqual([failed?.untouched, next?.untouched], [true, false], "the next one is repaired");
					break;
				}
				case "return":
					// A fresh instance is fed the whole session at its first request.
					await world.restart();
					await comeBack(world);
					assertUntouched(world, from);
					break;
				case "learned":
					clock.advance(GAP);
					await goOn(world);
					break;
				case "recall":
					await world.prompt("Fetch it.", recallOf(world));
					assert.equal(recalled(world).isError, true);
					await world.prompt("Again.", recallOf(world));
					assert.equal(recalled(world).isError, false);
					break;
				case "search":
					await world.prompt("Find it.", searchFor("a"));
					assert.equal(recalled(world).isError, true);
					await world.prompt("Again.", searchFor("a"));
					assert.equal(recalled(world).isError, false);
					break;
				case "warming":
					await beWarmed(world);
					break;
				case "compaction": {
					await compact(world);
					const made = world.manager.getBranch().findLast((entry) => entry.type === "compaction");
					assert.equal(made?.fromHook, false, "it is Pi's own");
					break;
				}
				case "status":
					await status(world);
					break;
				case "unfolding":
					await world.command("/zip unfold all");
					assert.match(world.asked.at(-1) ?? "", /cannot be told/);
					assert.match(world.notices.at(-1) ?? "", /3 outputs unfolded/);
					break;
				case "shutdown":
					await restart(world);
					break;
				case undefined:
					await comeBack(world);
			}
			const traps = occasion === undefined ? 0 : 1;
			assert.equal(faults.hits, occasion === "start" ? 2 : traps, "so often it was called");
			// A recall or search that fails is told to the model; that a cost is not known stands in its question.
			const told = occasion === "recall" || occasion === "search" || occasion === "unfolding" ? 0 : traps;
			assert.equal(complaints(world).length - said, told, complaints(world).join("\n"));
			faults.disarm();
			await assertWorksAgain(world);
			assert.deepEqual(world.errors, [], "Pi sees no throw");
		});
	});
}

test("I6 fail open: after three failures it is off for the session, and says so once", async () => {
	await inWorld({}, async (world) => {
		await taskPrompts(world, 4);
		faults.arm("core_sync", Number.POSITIVE_INFINITY);
		const from = world.requests.length;
		for (let number = 0; number < 3; number += 1) await comeBack(world);
		faults.disarm();
		await comeBack(world);
		assertUntouched(world, from);
		assert.equal(faults.hits, 3, "it is not tried again");
		const [first, second, ...more] = world.notices;
		assert.match(first ?? "", /failed .* the request went out as it was/);
		assert.match(second ?? "", /switched off for this session/);
		assert.deepEqual(more, []);
		await status(world);
		assert.match(world.notices.at(-1) ?? "", /switched off/);
		await world.restart();
		await comeBack(world);
		assert.ok(folds(world.last).size > 0);
	});
});

test("what a failed core has left behind is collected without a trap, also where none is started again", () =>
	inWorld({}, async (world) => {
		setFlagsFromString("--expose-gc");
		const collect = runInNewContext("gc") as () => void;
		await taskPrompts(world, 2);
		faults.arm("core_sync", Number.POSITIVE_INFINITY);
		for (let number = 0; number < 3; number += 1) await goOn(world);
		faults.disarm();
		// A trap in a finalizer reaches no handler of ours: it would end the process, as it would end Pi.
		for (let turn = 0; turn < 5; turn += 1) {
			collect();
			await new Promise((done) => setTimeout(done, 10));
		}
		assert.equal(complaints(world).length, 1);
	}));
