/**
 * What is played for money, as data: the scripted day and its variants, long runs, batches of parallel calls, pasted
 * text; and the interruptions of a day. Beside each stands what it may cost, as a part of plain Pi's cost.
 */

import { runTests } from "../host/project.ts";
import { CLAUDE, RESPONSES } from "../host/stage.ts";
import type { Answer, Exchange } from "../server/script.ts";
import { type Happening, HOLD, type Scenario } from "./play.ts";
import { exchange, promptOf } from "./work.ts";

export interface Priced extends Scenario {
	name: string;
	/** Cost over plain Pi's. */
	bound: number;
}

/** Seconds before each of the day's prompts, with a cache that lives 300 s. */
const GAPS = [0, 45, 420, 15, 600, 30, 380, 3600, 20, 500];
/** The same day of somebody who never leaves for four minutes. */
const SHORT_GAPS = [0, 45, 200, 15, 230, 30, 180, 235, 20, 210];

/** Each prompt with four or five rounds: reports of 100 to 180 lines, slices of 100 to 150, searches of 60 to 100. */
const DAY = GAPS.map((_, n) => exchange(n, 4 + (n % 2)));

/** Dollars per million, like those of a model whose automatic cache bills its writes. */
const AUTOMATIC_PRICES = { input: 2, read: 0.1, write: 2.5, output: 10 };
/** It declares no lifetime, and lives for half an hour. */
const AUTOMATIC: Scenario["stage"] = {
	models: [{ ...RESPONSES, prices: AUTOMATIC_PRICES }],
	cache: "automatic",
	prices: AUTOMATIC_PRICES,
	lifetime: 1800,
};

/** One prompt with many rounds of 30 to 40 lines. */
function longRun(rounds: number): Exchange {
	const answers = Array.from({ length: rounds }, (_, round): Answer => {
		const call = runTests(round, 30 + ((round * 7) % 11));
		return { text: `Step ${round + 1}: I run suite ${round}.`, calls: [call] };
	});
	return { prompt: promptOf(0), answers: [...answers, { text: "All suites are seen to." }] };
}

/** Two batches of 12 to 20 parallel calls. */
function batches(n: number): Exchange {
	const batch = (size: number, from: number): Answer => ({
		text: `I run ${size} suites at once.`,
		calls: Array.from({ length: size }, (_, index) => runTests(from + index, 20 + ((from + index * 13) % 41))),
	});
	const answers = [batch(12 + ((n * 5) % 9), n * 50), batch(20 - ((n * 4) % 9), n * 50 + 25)];
	return { prompt: promptOf(n), answers: [...answers, { text: `Task ${n} is done.` }] };
}

/** A prompt with much pasted text, the work of a day's prompt, and a long answer. */
function pasted(n: number): Exchange {
	const line = (at: number) => `${at}: record ${(at * 7919 + n * 104729) % 99991} of import ${n} has no owner`;
	const prompt = `${promptOf(n)}\n${Array.from({ length: PASTED_LINES }, (_, at) => line(at)).join("\n")}`;
	const answer = `Task ${n} is done. ${`Record ${n} was given the owner of its folder. `.repeat(200)}`;
	const { answers } = exchange(n, 4 + (n % 2));
	return { prompt, answers: [...answers.slice(0, -1), { text: answer.slice(0, ANSWER_UNITS) }] };
}
const PASTED_LINES = 600;
const ANSWER_UNITS = 7000;

const range = <T>(count: number, each: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => each(n));

export const SCENARIOS: Priced[] = [
	{ name: "the day", bound: 0.48, exchanges: DAY, gaps: GAPS },
	{ name: "a day with short gaps only", bound: 0.75, exchanges: DAY, gaps: SHORT_GAPS },
	{ name: "the day on an automatic cache", bound: 0.74, exchanges: DAY, gaps: GAPS, stage: AUTOMATIC },
	{ name: "one prompt of 150 rounds", bound: 0.75, exchanges: [longRun(150)] },
	{ name: "six prompts with batches of parallel calls", bound: 0.45, exchanges: range(6, batches) },
	{ name: "nine prompts with pasted text and long answers", bound: 0.75, exchanges: range(9, pasted), gaps: GAPS },
];

/** Seconds before the prompts of somebody who pastes much, and is away twice. */
const TWICE_AWAY = range(18, (n) => (n === 7 || n === 13 ? 1200 : 40));

/** A summary may be written while the user is away: so time passes. */
export const PASSING: Priced[] = [
	{
		name: "a day of 18 prompts with pasted text and long answers, away twice",
		bound: 0.7,
		exchanges: range(18, pasted),
		gaps: TWICE_AWAY,
		passes: true,
	},
];

const otherModel: Happening = async (pi) => {
	await pi.ask("set_model", { provider: "scripted", modelId: "claude-other" });
	await pi.run(promptOf(3));
	return pi;
};

const abort: Happening = async (pi, stage) => {
	const settled = pi.settled();
	await pi.ask("prompt", { message: HOLD });
	await stage.server.hung(1);
	await pi.ask("abort");
	await settled;
	await pi.run(promptOf(4));
	return pi;
};

const steering: Happening = async (pi) => {
	const [tool, settled] = [pi.event(({ type }) => type === "tool_execution_start"), pi.settled()];
	await pi.ask("prompt", { message: promptOf(6) });
	await tool;
	await pi.ask("steer", { message: "Look at the store first." });
	await settled;
	return pi;
};

const resume: Happening = async (pi, stage, launch) => {
	const session = await pi.sessionFile();
	await pi.close();
	const next = stage.rpc({ ...launch, session });
	await next.run(promptOf(5));
	return next;
};

const fork: Happening = async (pi) => {
	const { messages } = await pi.ask<{ messages: { entryId: string; text: string }[] }>("get_fork_messages");
	await pi.ask("fork", { entryId: messages.find(({ text }) => text === promptOf(5))!.entryId });
	await pi.run(promptOf(7));
	return pi;
};

const day = { exchanges: DAY, gaps: GAPS, bound: 1 };
const twoModels = { models: [CLAUDE, { ...CLAUDE, id: "claude-other" }] };

/** Days in which something comes between: never dearer than plain Pi's. */
export const INTERRUPTED: Priced[] = [
	{ ...day, name: "a day with a model switch", stage: twoModels, happens: { 3: otherModel } },
	{ ...day, name: "a day with an abort at a cold return", happens: { 4: abort } },
	{ ...day, name: "a day with steering at a cold return", happens: { 6: steering } },
	{ ...day, name: "a day with a resume", happens: { 5: resume } },
	{ ...day, name: "a day with a fork", happens: { 7: fork } },
];

/** Under a cache that renews only what it reads: never dearer than plain Pi either. */
export const UNKIND: Priced[] = SCENARIOS.filter(({ stage }) => stage?.cache !== "automatic").map((scenario) => ({
	...scenario,
	name: `${scenario.name}, under an unkind cache`,
	bound: 1,
	stage: { ...scenario.stage, unkind: true },
}));
