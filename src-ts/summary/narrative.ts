/**
 * The narrative: what a model writes about entries that leave the view. The instruction, and which answers are refused.
 *
 * A refused answer is asked for once more, as bullets under the same budget; after that there is none. Who calls the
 * model, and by which way, is handed in. Nothing here throws but what the caller's signal brings.
 */

import type { AssistantMessage, Usage } from "../host.ts";
import { IN_SHORT } from "./levels.ts";

/** Words that are asked for where there is room, and the tokens at which the model is cut off: twice what they take. */
const WORDS = 600;
/** UTF-16 units of a word with what is around it, taken high: names and paths are long. */
const UNITS_A_WORD = 8;
/** Words of what stands for all of it where there is room for no more. */
const SHORT_WORDS = 70;
export const MOST_NARRATIVE = 2_000;
/** UTF-16 units of the first message that stays. */
const BOUNDARY_UNITS = 200;

export interface Wanted {
	/** The first message that stays in view. */
	readonly boundary: string;
	/** Tail of the narrative of what came before. */
	readonly older: string;
	/** What the user asked for with `/compact`. */
	readonly instructions: string | undefined;
	/** UTF-16 units of what is replaced: the narrative has to be smaller, */
	readonly units: number;
	/** and those that there is room for. */
	readonly most: number;
}

/** Why there is no narrative, or how it came about; these words stand in the session and in `/zip status`. */
export type Outcome =
	| "written"
	| "written at the second try"
	| "empty"
	| "cut off"
	| "not smaller"
	| "too long"
	| "asked for tools"
	| "the provider failed"
	| "another extension changes the view"
	| "the request could not be repeated"
	| "no model";

export interface Narrative {
	readonly outcome: Outcome;
	/** Absent where it was refused twice. */
	readonly text?: string;
	/** Of all attempts, */
	readonly usage: readonly Usage[];
	/** and how many of them failed or were refused. */
	readonly failed: number;
}

/** Sends one instruction behind the conversation; undefined where nothing was sent. */
export type Ask = (instruction: string) => Promise<AssistantMessage | undefined>;

/** Undefined where nothing was sent at all. */
export async function narrate(ask: Ask, wanted: Wanted): Promise<Narrative | undefined> {
	const usage: Usage[] = [];
	let outcome: Outcome = "empty";
	let failed = 0;
	for (const form of ["headings", "bullets"] as const) {
		const answer = await ask(instruction(wanted, form));
		if (answer === undefined) return failed > 0 ? { outcome, usage, failed } : undefined;
		if (answer.usage) usage.push(answer.usage);
		const read = readAnswer(answer, wanted);
		if ("text" in read) {
			const written = form === "headings" ? "written" : "written at the second try";
			return { outcome: written, text: read.text, usage, failed };
		}
		failed += 1;
		outcome = read.refused;
		if (answer.stopReason === "aborted") break;
	}
	return { outcome, usage, failed };
}

function readAnswer(
	answer: AssistantMessage,
	{ units, most }: Pick<Wanted, "units" | "most">,
): { text: string } | { refused: Outcome } {
	if (answer.stopReason === "error" || answer.stopReason === "aborted") return { refused: "the provider failed" };
	if (answer.content.some((block) => block.type === "toolCall")) return { refused: "asked for tools" };
	if (answer.stopReason === "length") return { refused: "cut off" };
	const text = answer.content
		.map((block) => (block.type === "text" ? block.text : ""))
		.join("")
		.trim();
	if (text === "") return { refused: "empty" };
	if (text.length >= units) return { refused: "not smaller" };
	return text.length <= most ? { text } : { refused: "too long" };
}

function instruction({ boundary, older, instructions, most }: Wanted, form: "headings" | "bullets"): string {
	const words = Math.min(WORDS, Math.floor(most / UNITS_A_WORD));
	const shape =
		form === "headings"
			? `Write at most ${words} words under these headings: "${IN_SHORT}" (at most ${SHORT_WORDS} words), "### Decisions and why", "### State of the work", "### Open", "### Exact facts".`
			: `Write short bullets and nothing else, at most ${words} words in all: decisions and why, state of the work, what is open, exact facts.`;
	return [
		"Sum up the work above for the model that goes on with it and will not see it any more.",
		shape,
		"Keep apart what was verified (say by which test or command) from what was only planned or claimed.",
		"Keep the user's constraints in the user's own words. Give names, values and messages that later work needs exactly as they were.",
		"The user's requests and lists of files, commands and outputs are kept elsewhere: do not repeat them. Neither quote nor paraphrase thinking. Call no tool.",
		...(older ? [`Of what came before there is this, which need not be repeated:\n<older>\n${older}\n</older>`] : []),
		...(boundary
			? [
					`What follows stays in view, beginning with this, and is not to be summed up:\n<stays>\n${boundary.slice(0, BOUNDARY_UNITS)}\n</stays>`,
				]
			: []),
		...(instructions ? [`The user asks of this summary: ${instructions}`] : []),
	].join("\n");
}
