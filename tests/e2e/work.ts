/**
 * The scripted work that most of these tests share: prompts with tool rounds on the sample project, and what is looked
 * at afterwards: the view of each request, its placeholders, and whether one request's messages begin the next's.
 */
import assert from "node:assert/strict";
import { makeProject, readSlice, runTests, search } from "../host/project.ts";
import type { RpcPi } from "../host/rpc.ts";
import { edits, type FileEntry, texts } from "../host/session-file.ts";
import { onStage, type Stage, type StageOptions } from "../host/stage.ts";
import { DEFAULT_PRICES } from "../server/bill.ts";
import { type Answer, type Call, conversation, type Exchange } from "../server/script.ts";
import type { Recorded } from "../server/server.ts";

/** What a placeholder begins with. */
export const FOLDED = "[folded by pi-zip";
const HANDLE = /handle ([0-9a-z]{10})/g;

/** A look that shows next to nothing. */
const GLANCE: Call = { name: "bash", input: { command: "ls README.md" } };

/**
 * Prompt `n` (from 0) with rounds of tool work and a short answer. Where their number is not given, there are two and a
 * glance, so that what two tasks lie behind is old enough to be folded.
 */
export function exchange(n: number, given?: number): Exchange {
	const rounds = given ?? 2;
	const kinds = [
		(round: number) => runTests(n * 10 + round, 100 + ((n * 31 + round * 17) % 81)),
		(round: number) => readSlice(n + round, 1 + n * 30, 100 + ((n * 23 + round * 11) % 51)),
		(round: number) => search(n + round + 1),
	];
	const answers = Array.from({ length: rounds }, (_, round): Answer => {
		const call = kinds[round % kinds.length]!(round);
		return { text: `Step ${round + 1} of task ${n}.`, calls: [call] };
	});
	if (given === undefined) answers.push({ text: `A glance in task ${n}.`, calls: [GLANCE] });
	return { prompt: promptOf(n), answers: [...answers, { text: `Task ${n} is done.` }] };
}

export const promptOf = (n: number): string => `Task ${n}: see to module ${n} and its tests.`;

export function exchanges(count: number, rounds?: number): Exchange[] {
	return Array.from({ length: count }, (_, n) => exchange(n, rounds));
}

/** The blocks of a request behind tools and system prompt, cache marks aside. */
export function view(request: Recorded): string[] {
	return request.blocks
		.map(({ text }) => text)
		.filter((text) => !text.startsWith("tool ") && !text.startsWith("system "));
}

export function placeholders(request: Recorded): string[] {
	return view(request).filter((text) => text.includes(FOLDED));
}

export function handles(request: Recorded): string[] {
	return placeholders(request).flatMap((text) => [...text.matchAll(HANDLE)].map(([, handle]) => handle!));
}

/** Whether the earlier request's messages begin this one's. */
export function continues(request: Recorded, before: Recorded): boolean {
	const old = view(before);
	return JSON.stringify(view(request).slice(0, old.length)) === JSON.stringify(old);
}

/** Each request's messages begin the next one's, but at the requests whose positions are given. */
export function assertPrefixes(requests: Recorded[], breaksAt: number[] = []): void {
	for (const [at, request] of requests.entries()) {
		const before = requests[at - 1];
		if (before === undefined || before.model !== request.model) continue;
		const same = continues(request, before);
		assert.equal(same, !breaksAt.includes(at), `request ${at} ${same ? "continues" : "breaks with"} the one before`);
	}
}

/** Positions of the requests that show folds which the one before did not. */
export function foldsAt(requests: Recorded[]): number[] {
	const counts = requests.map((request) => placeholders(request).length);
	return [...counts.keys()].filter((at) => at > 0 && counts[at]! > counts[at - 1]!);
}

/** Runs tasks `from` to `to` - 1, without a pause. */
export async function runTasks(pi: RpcPi, from: number, to: number): Promise<void> {
	for (let n = from; n < to; n += 1) await pi.run(promptOf(n));
}

/** So cheap to read that no warm request is worth folding: what is folded at a return shows what it was taken for. */
export const CHEAP_READS = { ...DEFAULT_PRICES, read: DEFAULT_PRICES.read / 100 };

/** Seconds after which nothing of a five-minute cache is left. */
export const AWAY = 600;

/** Tasks up to `last`, then, after the cache has expired, task `last`: its first request is a cold return. */
export async function coldReturn(stage: Stage, pi: RpcPi, last = 3): Promise<void> {
	await runTasks(pi, 0, last);
	await stage.advance(AWAY);
	await pi.run(promptOf(last));
}

/** Text that each folded entry has in the file's edits, by entry id. Pi's own omissions of failed answers are none. */
export function foldedTexts(entries: FileEntry[]): Map<string, string> {
	const folds = edits(entries).flatMap(({ targetId = "", replacement }): [string, string][] =>
		replacement ? [[targetId, texts({ role: "", content: replacement.content }).join("\n")]] : [],
	);
	return new Map(folds);
}

/** A world with the sample project in it. */
export function atWork<T>(options: Partial<StageOptions>, body: (stage: Stage) => Promise<T>): Promise<T> {
	return onStage({ script: conversation(exchanges(8)), ...options }, (stage) => {
		makeProject(stage.home.project);
		return body(stage);
	});
}
