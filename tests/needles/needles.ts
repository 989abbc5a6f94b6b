/**
 * Facts planted in a session of any length, and what has become of them after folds, summaries and compactions in real Pi:
 * those in outputs and files come back by their handles as they were, and those in user text, commands and answers stand
 * verbatim in the newest summary's fixed part, or are counted there as left out, or are still in view.
 */

import assert from "node:assert/strict";
import { handleOf, recallPage } from "../../src-ts/core.ts";
import { answer } from "../../src-ts/recall/answer.ts";
import { Originals } from "../../src-ts/recall/originals.ts";
import { LARGEST_PAGE, type RecallRequest } from "../../src-ts/recall/request.ts";
import { Random } from "../session/random.ts";
import { clock } from "../world/clock.ts";
import { type Answer, type Call, LIFETIME } from "../world/model.ts";
import { inWorld, type World } from "../world/pi.ts";

export interface Found {
	readonly summaries: number;
	/** Outputs that the view showed by a placeholder at some time. */
	readonly folds: number;
	/** Facts in outputs and files, each of which came back. */
	readonly recalled: number;
	/** Facts in user text, commands and answers of what was summed up: verbatim in the summary, and counted. */
	readonly verbatim: number;
	readonly counted: number;
	/** UTF-16 units of the newest summary. */
	readonly units: number;
}

interface Planted {
	readonly requests: string[];
	readonly commands: string[];
	readonly answers: string[];
	/** By call id. */
	readonly outputs: Map<string, string>;
}

/** Prompts between two compactions, at most. */
const BETWEEN = 8;

/** Plays a session of so many prompts and looks for all that was planted. */
export async function needles(seed: number, prompts: number): Promise<Found> {
	const random = new Random(seed);
	const planted: Planted = { requests: [], commands: [], answers: [], outputs: new Map() };
	let found: Found | undefined;
	await inWorld({}, async (world) => {
		let next = BETWEEN + random.below(BETWEEN);
		for (let prompt = 0; prompt < prompts; prompt += 1) {
			const request = `Prompt ${prompt}: ${words(random)}${needle(random)} ${words(random)}`;
			planted.requests.push(request);
			await world.prompt(request, work(random, prompt, planted));
			clock.advance(random.chance(0.3) ? LIFETIME + 60_000 : 20_000);
			next -= 1;
			if (next > 0 && prompt < prompts - 1) continue;
			// Pi refuses where there is too little to compact.
			await world.session.compact().catch(() => {});
			next = 2 + random.below(BETWEEN - 1);
		}
		assert.deepEqual(world.errors, []);
		const recalled = await judgeOutputs(world, planted);
		found = { recalled, ...judgeSummary(world, planted) };
	});
	return found!;
}

function needle(random: Random): string {
	return `fact-${random.below(1e9).toString(36)}-${random.below(1e9).toString(36)}`;
}

function words(random: Random, most = 30): string {
	const all = ["ledger", "tax", "parser", "index", "the", "of", "should", "round", "漢字", "😀", "a line\nof its own"];
	return Array.from({ length: random.below(most) }, () => `${random.pick(all)} `).join("");
}

/** An output with a fact in it, of odd text now and then. */
function output(random: Random): string {
	const lines = Array.from({ length: 1 + random.below(160) }, (_, line) => `${line} ok ${words(random, 8)}`);
	lines.splice(random.below(lines.length), 0, `here stands ${needle(random)}`);
	return lines.join(random.chance(0.1) ? "\r\n" : "\n") + random.pick(["", "\n", "\ud800", "\0\u2028"]);
}

function work(random: Random, prompt: number, planted: Planted): Answer[] {
	const answers: Answer[] = [];
	for (let round = 0; round < 1 + random.below(4); round += 1) {
		const id = `call-${prompt}-${round}`;
		const text = output(random);
		planted.outputs.set(id, text);
		const command = `make check --only ${needle(random)} ${words(random, 6)}`;
		const isCommand = random.chance(0.6);
		if (isCommand) planted.commands.push(command);
		const call: Call = isCommand
			? { id, name: "bash", args: { command }, output: text, throws: random.chance(0.15) }
			: { id, name: "read", args: { path: `src/part${random.below(12)}.ts` }, output: text };
		const step = `Step ${prompt}.${round}: ${words(random, 4)}${needle(random)}`;
		planted.answers.push(step);
		answers.push({ text: step, calls: [call] });
	}
	const last = `Prompt ${prompt} is done: ${words(random)}${needle(random)}`;
	planted.answers.push(last);
	return [...answers, { text: last }];
}

/** Each output comes back whole, page by page, as the tool gives it. */
async function judgeOutputs(world: World, planted: Planted): Promise<number> {
	const originals = new Originals(handleOf);
	let recalled = 0;
	for (const entry of world.manager.getBranch()) {
		if (entry.type !== "message" || entry.message.role !== "toolResult") continue;
		const text = planted.outputs.get(entry.message.toolCallId);
		assert.ok(text !== undefined);
		let back = "";
		for (let offset = 0; offset < text.length; ) {
			const request: RecallRequest = { handles: [handleOf(entry.id)], offset, limit: LARGEST_PAGE };
			const { content, details } = await answer(request, (handle) => originals.find(world.manager, handle), recallPage);
			const [page] = details.recalled;
			assert.ok(page && page.from === offset && page.to > offset);
			back += content
				.slice(1)
				.map((block) => (block.type === "text" ? block.text : ""))
				.join("")
				.slice(0, page.to - page.from);
			offset = page.to;
		}
		assert.equal(back, text);
		recalled += 1;
	}
	assert.equal(recalled, planted.outputs.size);
	return recalled;
}

function judgeSummary(world: World, planted: Planted): Omit<Found, "recalled"> {
	const branch = world.manager.getBranch();
	const made = branch.filter((entry) => entry.type === "compaction");
	for (const { details } of made) assert.equal((details as { by?: string } | undefined)?.by, "pi-zip");
	const newest = made.at(-1);
	assert.ok(newest, "nothing was summed up");
	const summed = branch.slice(
		0,
		branch.findIndex(({ id }) => id === newest.firstKeptEntryId),
	);
	const said = JSON.stringify(summed);
	const isSummed = (text: string) => said.includes(JSON.stringify(text).slice(1, -1));
	const { summary } = newest;
	let verbatim = 0;
	let counted = 0;
	for (const [title, texts] of [
		["Requests of the user, verbatim", planted.requests],
		["Last answers, verbatim", planted.answers],
		["Commands", planted.commands],
	] as const) {
		const { body, leftOut } = section(summary, title);
		const missing = texts.filter((text) => isSummed(text) && !body.includes(text));
		// One that is cut is shown by its head, and tells how much of it is left out.
		const cut = missing.filter((text) => isCut(body, text));
		assert.equal(
			missing.length - cut.length,
			leftOut,
			`${title}: ${missing.length} missing, ${cut.length} of them cut`,
		);
		verbatim += texts.filter(isSummed).length - missing.length;
		counted += missing.length;
	}
	const folded = new Set(
		world.requests.flatMap(({ view, ids }) =>
			view.flatMap((message, at) => (message.includes("[folded by pi-zip") ? [ids[at]] : [])),
		),
	);
	return { summaries: made.length, folds: folded.size, verbatim, counted, units: summary.length };
}

/** What a section holds, and how many it says are left out. */
function section(summary: string, title: string): { body: string; leftOut: number } {
	const start = summary.indexOf(`\n## ${title}`);
	if (start < 0) return { body: "", leftOut: 0 };
	const end = summary.indexOf("\n## ", start + 1);
	const body = summary.slice(start, end < 0 ? undefined : end);
	return { body, leftOut: Number(/\((\d+) left out\)\n/.exec(body.slice(0, body.indexOf("\n", 1) + 1))?.[1] ?? 0) };
}

function isCut(body: string, text: string): boolean {
	for (const { index, 0: mark, 1: left } of body.matchAll(/ \[… (\d+) characters left out …\] /g)) {
		const [before, behind] = [body.slice(0, index), body.slice(index + mark.length)];
		for (let head = text.length - Number(left); head >= 0; head -= 1) {
			const tail = text.length - Number(left) - head;
			if (before.endsWith(text.slice(0, head)) && behind.startsWith(text.slice(text.length - tail)) && head > 0)
				return true;
		}
	}
	return false;
}
