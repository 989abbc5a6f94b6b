/**
 * A narrative by requests of their own, over the originals, in as many parts as the model's window asks for.
 *
 * Each original is sent once. A later part gets what was made of the parts before it, and its narrative stands for all.
 */

import { randomUUID } from "node:crypto";
import { answered } from "../answered.ts";
import type { AssistantMessage, ExtensionContext, Model, Usage } from "../host.ts";
import { MOST_NARRATIVE, type Narrative, narrate, type Wanted } from "./narrative.ts";
import { packed } from "./transcript.ts";

const SYSTEM_PROMPT = "You sum up coding sessions. You answer with the summary alone, and call no tools.";

/** Tokens of the instruction and what stands around it. */
const INSTRUCTION_TOKENS = 3_000;
/** UTF-16 units a token, taken low so that a part fits the window: text of real sessions has three. */
const UNITS_A_TOKEN = 2.5;
/** Tokens of a window that is not declared. */
const ASSUMED_WINDOW = 100_000;
const LEAST_UNITS = 8_000;

export async function uncached(
	ctx: Pick<ExtensionContext, "modelRegistry">,
	model: Model,
	pieces: readonly string[],
	wanted: Wanted,
	signal: AbortSignal,
): Promise<Narrative> {
	const window = (model.contextWindow > 0 ? model.contextWindow : ASSUMED_WINDOW) - MOST_NARRATIVE - INSTRUCTION_TOKENS;
	const parts = packed(pieces, Math.max(LEAST_UNITS, Math.floor(window * UNITS_A_TOKEN)));
	const usage: Usage[] = [];
	let before = "";
	let failed = 0;
	let narrative: Narrative = { outcome: "empty", usage, failed };
	let isSecond = false;
	for (const [index, part] of parts.entries()) {
		const isLast = index === parts.length - 1;
		const earlier = before && `<before>\n${before}\n</before>\nThis stands for the work before it: sum up both.\n\n`;
		const ask = (instruction: string): Promise<AssistantMessage> => {
			const text = `<work>\n${part}</work>\n\n${earlier}${instruction}`;
			const stream = ctx.modelRegistry.streamSimple(
				model,
				{
					systemPrompt: SYSTEM_PROMPT,
					messages: [{ role: "user", content: [{ type: "text", text }], timestamp: Date.now() }],
				},
				{
					maxTokens: Math.min(MOST_NARRATIVE, model.maxTokens > 0 ? model.maxTokens : MOST_NARRATIVE),
					signal,
					cacheRetention: "none",
					// The routing of the conversation is none of this call's business.
					sessionId: randomUUID(),
				},
			);
			return answered(stream, signal);
		};
		narrative = (await narrate(ask, { ...wanted, boundary: isLast ? wanted.boundary : "" })) ?? narrative;
		usage.push(...narrative.usage);
		failed += narrative.failed;
		if (narrative.text === undefined) break;
		before = narrative.text;
		isSecond ||= narrative.outcome === "written at the second try";
	}
	const { outcome } = narrative;
	return {
		...narrative,
		outcome: isSecond && outcome === "written" ? "written at the second try" : outcome,
		usage,
		failed,
	};
}
