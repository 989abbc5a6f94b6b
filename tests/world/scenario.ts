/**
 * Generated sessions in real Pi: prompts with tool rounds after short and long gaps, parallel calls, ids used again,
 * failures, aborts, steering, compactions, moves in the tree, other models, restarts, commands of the user, results that
 * were recorded out of order or without a call, and another extension that writes into the session.
 */

import type { SessionBoundaryDraft, SessionManager } from "@earendil-works/pi-coding-agent";
import { Random } from "../session/random.ts";
import { clock } from "./clock.ts";
import { type Answer, API, type Block, type Call, LIFETIME, PROVIDER } from "./model.ts";
import { type Factory, inWorld, type Options, type World } from "./pi.ts";

/** What may happen between two prompts; a test may leave some out. */
export const EVENTS = ["gap", "restart", "compact", "tree", "model", "bash", "recorded", "backwards"] as const;
export type Event = (typeof EVENTS)[number];

export interface Course {
	readonly prompts?: number;
	readonly events?: readonly Event[];
	readonly options?: Options;
	/** Whether another extension writes into the session. */
	readonly meddled?: boolean;
	/** Called after each prompt and each event. */
	readonly each?: (world: World, happened: "prompt" | Event) => void | Promise<void>;
}

export async function play(seed: number, course: Course, body: (world: World) => void | Promise<void>): Promise<void> {
	const random = new Random(seed);
	const { prompts = 8, events = EVENTS, options = {}, meddled = random.chance(0.3), each = () => {} } = course;
	const behind = [...(options.behind ?? []), ...(meddled ? [meddler(new Random(seed + 1))] : [])];
	await inWorld({ ...options, behind }, async (world) => {
		for (let prompt = 0; prompt < prompts; prompt += 1) {
			await world.prompt(text(random, "Prompt"), answers(random, world));
			await each(world, "prompt");
			for (const event of events) {
				if (!random.chance(CHANCES[event])) continue;
				await HAPPENS[event](world, random);
				await each(world, event);
			}
		}
		await body(world);
	});
}

const CHANCES: Record<Event, number> = {
	gap: 0.8,
	restart: 0.15,
	compact: 0.08,
	tree: 0.12,
	model: 0.08,
	bash: 0.1,
	recorded: 0.1,
	backwards: 0.05,
};

const HAPPENS: Record<Event, (world: World, random: Random) => void | Promise<void>> = {
	gap(_world, random) {
		clock.advance(random.pick([0, 1_000, 60_000, LIFETIME - 10_000, LIFETIME, LIFETIME + 60_000, 3_600_000, 9e7]));
	},
	backwards() {
		clock.advance(-20_000);
	},
	restart: (world) => world.restart(),
	async compact(world) {
		// Pi refuses where there is too little to compact.
		await world.session.compact().catch(() => {});
	},
	async tree(world, random) {
		await world.session.navigateTree(random.pick(world.manager.getEntries()).id);
	},
	model: (world, random) => world.useModel(random.pick(["one", "two"])),
	bash(world, random) {
		const result = { output: output(random), exitCode: 0, cancelled: false, truncated: false };
		world.session.recordBashResult("ls", result, { excludeFromContext: random.chance(0.3) });
	},
	async recorded(world, random) {
		await world.stop();
		record(world.manager, random);
		await world.start();
	},
};

const COMMANDS = ["npm test", "ls -l src", "git log | head -3", "cat notes.txt && rm notes.txt"];

/** Ids are few, so that they repeat in a session and within one answer. */
const IDS = 6;

function call(random: Random): Call {
	const name = random.pick(["bash", "bash", "read", "grep", "edit"]);
	const args: Call["args"] =
		name === "bash" ? { command: random.pick(COMMANDS) } : { path: `src/${random.below(5)}.ts` };
	return { id: `c${random.below(IDS)}`, name, args, output: content(random), throws: random.chance(0.08) };
}

function answers(random: Random, world: World): Answer[] {
	const list: Answer[] = [];
	for (let rounds = random.below(5); rounds > 0; rounds -= 1) {
		const calls = Array.from({ length: 1 + random.below(4) }, () => call(random));
		if (random.chance(0.1)) calls[0] = { ...calls[0]!, during: () => meanwhile(random, world) };
		const thinking = random.chance(0.3) ? text(random, "Thinking") : undefined;
		list.push({ text: text(random, "Step"), thinking, calls });
	}
	const ending = random.weighted<Answer["ending"]>([
		[8, "answered"],
		[1, "failed"],
		[1, "offline"],
		[1, "aborted"],
	]);
	if (random.chance(0.5)) list.push({ text: text(random, "Answer"), ending });
	else list.splice(random.below(list.length + 1), 0, { text: text(random, "Answer"), ending });
	return list;
}

function meanwhile(random: Random, world: World): void {
	const { session } = world;
	const happens = random.weighted<() => Promise<unknown>>([
		[3, () => session.steer(text(random, "Steering"))],
		[2, () => session.followUp(text(random, "Follow-up"))],
		[1, () => session.abort()],
	]);
	void happens();
}

function content(random: Random): string | Block[] {
	const image: Block = { type: "image", data: "AAAA", mimeType: "image/png" };
	return random.weighted<() => string | Block[]>([
		[12, () => output(random)],
		[1, () => [{ type: "text", text: output(random) }, image]],
		[
			1,
			() => [
				{ type: "text", text: output(random) },
				{ type: "text", text: output(random) },
			],
		],
		[1, () => []],
		[1, () => ""],
	])();
}

const PIECES = [
	"all good, nothing to see\n",
	"error: it broke at line 7\n",
	"ünï 漢字 😀\n",
	"\u001b[31mred\u001b[0m\r\n",
	"lone \ud83d and \ude00\n",
	"nul \u0000 and \u2028 separators\n",
	"[folded by pi-zip is what it says\n",
];

/** Sizes lie on both sides of what is worth a fold. */
function output(random: Random): string {
	const lines = random.pick([0, 3, 30, 90, 150, 300]);
	return Array.from({ length: lines }, (_, number) => `${number} ${random.pick(PIECES)}`).join("");
}

function text(random: Random, what: string): string {
	return `${what} ${random.below(1_000)}: ${"word ".repeat(random.below(30))}`;
}

/** Appends what other versions and hands have left in session files: results that are late, lost, twice or alone. */
function record(session: SessionManager, random: Random): void {
	const ids = ["c0", "c1", "c2"];
	const zero = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 };
	const usage = { ...zero, cost: { ...zero, total: 0 } };
	session.appendMessage({ role: "user", content: "Recorded", timestamp: clock.now });
	session.appendMessage({
		role: "assistant",
		content: ids.map((id) => ({ type: "toolCall", id, name: "bash", arguments: { command: "npm test" } })),
		api: API,
		provider: PROVIDER,
		model: "one",
		usage,
		stopReason: "toolUse",
		timestamp: clock.now,
	});
	const answered = random.pick([
		["c2", "c1", "c0"],
		["c0", "c2"],
		["c0", "c0", "c1"],
		["c9", "c0"],
	]);
	for (const id of answered) {
		session.appendMessage({
			role: "toolResult",
			toolCallId: id,
			toolName: "bash",
			content: [{ type: "text", text: output(random) }],
			isError: random.chance(0.2),
			timestamp: clock.now,
		});
	}
}

/** Another extension: it returns drafts of its own at each turn's end, now and then some that Pi refuses. */
function meddler(random: Random): Factory {
	return (api) => {
		api.on("turn_end", (event, { sessionManager }) => {
			const draft = random.weighted<() => SessionBoundaryDraft | undefined>([
				[6, () => undefined],
				[2, () => ({ type: "context_edit", targetId: "nowhere", replacement: null })],
				[1, () => ({ type: "custom_message", customType: "note", content: "A reminder.", display: false })],
				[1, () => ({ type: "custom", customType: "note", data: 1 })],
				[
					1,
					() => {
						const results = sessionManager
							.getBranch()
							.filter((entry) => entry.type === "message" && entry.message.role === "toolResult");
						const target = results.length > 0 ? random.pick(results) : undefined;
						return target && { type: "context_edit", targetId: target.id, replacement: { content: "Theirs." } };
					},
				],
			])();
			return draft ? { entries: [...event.entries, draft] } : undefined;
		});
	};
}
