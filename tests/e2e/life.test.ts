/**
 * A session's life at random: gaps short and long, aborts, steering, restarts, forks, moves in the tree, compactions,
 * model switches, off and on. Whatever comes, no request is refused, no hook fails, and the view changes only where a
 * cache has expired or the user went elsewhere.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { PI_ZIP } from "../host/home.ts";
import type { RpcPi } from "../host/rpc.ts";
import type { FileEntry } from "../host/session-file.ts";
import { CHAT, CLAUDE, RESPONSES, type Stage } from "../host/stage.ts";
import { conversation } from "../server/script.ts";
import { assertPrefixes, atWork, exchange, placeholders, promptOf, view } from "./work.ts";

const launch = { extensions: [PI_ZIP, fileURLToPath(new URL("extensions/navigate.ts", import.meta.url))] };
const TASKS = 10;
/** Seconds before a prompt; the cache lives 300. */
const GAPS = [10, 30, 100, 400, 700, 4000];
const LIFETIME = 300;
const HOLD = "Think about it for long.";
const HOLD_TOOL = "Run what takes long.";

/** Numbers below `n`, always the same for a seed. */
function dice(seed: number): (n: number) => number {
	let state = (seed * 2654435761) >>> 0;
	return (n) => {
		state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
		return Math.floor((state / 2 ** 32) * n);
	};
}

interface Life {
	pi: RpcPi;
	readonly stage: Stage;
	readonly roll: (n: number) => number;
	readonly models: string[];
	hangs: number;
}

/** What may happen around a prompt. `elsewhere`: the next view need not continue the one before. */
const EVENTS: { name: string; elsewhere?: true; play: (life: Life, prompt: string) => Promise<unknown> }[] = [
	{ name: "a prompt", play: ({ pi }, prompt) => pi.run(prompt) },
	{
		name: "steering",
		play: async ({ pi }, prompt) => {
			const [tool, settled] = [pi.event(({ type }) => type === "tool_execution_start"), pi.settled()];
			await pi.ask("prompt", { message: prompt });
			await tool;
			await pi.ask("steer", { message: "Look at the store first." });
			await settled;
		},
	},
	{
		name: "an abort of the answer",
		play: async (life, prompt) => {
			const settled = life.pi.settled();
			await life.pi.ask("prompt", { message: HOLD });
			life.hangs += 1;
			await life.stage.server.hung(life.hangs);
			await life.pi.ask("abort");
			await settled;
			await life.pi.run(prompt);
		},
	},
	{
		name: "an abort of a tool",
		play: async ({ pi }, prompt) => {
			const [tool, settled] = [pi.event(({ type }) => type === "tool_execution_start"), pi.settled()];
			await pi.ask("prompt", { message: HOLD_TOOL });
			await tool;
			await pi.ask("abort");
			await settled;
			await pi.run(prompt);
		},
	},
	{
		name: "a restart",
		play: async (life, prompt) => {
			const session = await life.pi.sessionFile();
			assert.deepEqual(life.pi.extensionErrors, []);
			await life.pi.close();
			life.pi = life.stage.rpc({ ...launch, session });
			await life.pi.run(prompt);
		},
	},
	{
		name: "a fork",
		elsewhere: true,
		play: async ({ pi, roll }, prompt) => {
			const { messages } = await pi.ask<{ messages: { entryId: string }[] }>("get_fork_messages");
			const later = messages.slice(1);
			if (later.length > 0) await pi.ask("fork", { entryId: later[roll(later.length)]!.entryId });
			await pi.run(prompt);
		},
	},
	{
		name: "a move in the tree",
		elsewhere: true,
		play: async ({ pi, roll }, prompt) => {
			const { entries } = await pi.ask<{ entries: FileEntry[] }>("get_entries");
			const rests = entries.filter(({ message }) => message?.role === "assistant" && message.stopReason === "stop");
			await pi.run(`/goto ${rests[roll(rests.length)]!.id}`);
			await pi.run(prompt);
		},
	},
	{
		name: "a compaction",
		elsewhere: true,
		play: async ({ pi }, prompt) => {
			// Pi refuses where there is too little to compact.
			await pi.ask("compact").catch(() => {});
			await pi.run(prompt);
		},
	},
	{
		name: "a model switch",
		elsewhere: true,
		play: async ({ pi, roll, models }, prompt) => {
			await pi.ask("set_model", { provider: "scripted", modelId: models[roll(models.length)] });
			await pi.run(prompt);
		},
	},
	{
		name: "off and on",
		play: async ({ pi }, prompt) => {
			await pi.run("/zip off");
			await pi.run(prompt);
			await pi.run("/zip on");
		},
	},
];

for (const [at, model] of [CLAUDE, CHAT, RESPONSES].entries()) {
	const seed = at + 1;
	test(`a life at random keeps one view, seed ${seed}, ${model.api}`, (t) => {
		const roll = dice(seed);
		const models = [model, { ...model, id: `${model.id}-b` }];
		const script = conversation([
			...Array.from({ length: TASKS }, (_, n) => exchange(n, 1 + roll(4))),
			{ prompt: HOLD, answers: [{ text: "I think about it.", hang: true }] },
			{ prompt: HOLD_TOOL, answers: [{ calls: [{ name: "bash", input: { command: "sleep 60" } }] }] },
		]);
		const settings = { compaction: { keepRecentTokens: 4000 } };
		const cache = model === CLAUDE ? "explicit" : "automatic";
		return atWork({ models, script, cache, settings }, async (stage) => {
			const life: Life = { pi: stage.rpc(launch), stage, roll, models: models.map(({ id }) => id), hangs: 0 };
			for (let n = 0; n < TASKS; n += 1) {
				const gap = GAPS[roll(GAPS.length)]!;
				const event = EVENTS[n === 0 ? 0 : roll(EVENTS.length)]!;
				t.diagnostic(`${gap} s, then ${event.name}`);
				await stage.advance(gap);
				const from = stage.server.main.length;
				await event.play(life, promptOf(n));
				const mayBreak = from === 0 || gap >= LIFETIME || event.elsewhere;
				const requests = stage.server.main.slice(mayBreak ? from : from - 1);
				const folds = requests.map((request) => placeholders(request).length);
				const edited = folds.flatMap((count, place) => (count > (folds[place - 1] ?? count) ? [place] : []));
				assert.ok(!edited.some((place) => edited.includes(place + 1)), "two edits in a row");
				// A compaction begins with the request that writes its summary from the cache.
				const length = (place: number) => view(requests[place]!).length;
				const cut = requests.flatMap((_, place) => (place > 0 && length(place) < length(place - 1) ? [place] : []));
				assertPrefixes(requests, event.elsewhere ? [...edited, ...cut] : edited);
			}
			assert.deepEqual(stage.server.refused, []);
			assert.deepEqual(life.pi.extensionErrors, []);
			assert.ok(
				stage.server.main.some((request) => placeholders(request).length > 0),
				"something was folded",
			);
		});
	});
}
