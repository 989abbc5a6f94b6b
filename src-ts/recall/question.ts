/**
 * Answers a `zip_recall` that asks a question: a reader's findings, or, where there are none, why, and the page that the same
 * call gets without the question.
 */

import { randomUUID } from "node:crypto";
import { answered } from "../answered.ts";
import type { AssistantMessage, ExtensionContext, Model, Usage } from "../host.ts";
import { type ModelChain, nameOf } from "../models.ts";
import { total } from "../summary/summaries.ts";
import { type Answer, answer, type Find, findAll, type Pager, refuse } from "./answer.ts";
import { type Reading, read, type Send } from "./reader.ts";
import { DEFAULT_PAGE, LARGEST_PAGE, oneLine, type RecallRequest } from "./request.ts";

/** Tokens of one answer of a reader. */
const ANSWER_TOKENS = 2_000;
/** Milliseconds that one answer of a reader is waited for. */
const MOST_TIME = 120_000;
/** Units of the question in the answer. */
const QUESTION_UNITS = 120;

export interface Asking {
	readonly chain: ModelChain;
	readonly pager: Pager;
	/** Whether secrets are taken out on the way to the reader. */
	redacts(): boolean;
	/** Why originals may be sent to no model; undefined where they may. */
	forbids(ctx: ExtensionContext): Promise<string | undefined>;
}

export async function askReader(
	request: RecallRequest & { question: string },
	find: Find,
	{ chain, pager, redacts, forbids }: Asking,
	ctx: ExtensionContext,
	signal: AbortSignal | undefined,
): Promise<Answer> {
	const { question, grep, range, limit } = request;
	const all = await findAll(request.handles, find);
	const found = all.flatMap(({ handle, original }) => (original.kind === "found" ? [{ handle, ...original }] : []));
	const used: Usage[] = [];
	const instead = async (why: string): Promise<Answer> => {
		const { question: _, ...paged } = request;
		const page = await answer({ ...paged, limit: Math.min(limit, LARGEST_PAGE, DEFAULT_PAGE) }, find, pager);
		const note = `[zip_recall: no reader has answered the question: ${why}. Here is the page that the call gets without it.]`;
		return { ...page, content: [{ type: "text", text: note }, ...page.content], ...withUsage(used) };
	};
	// A handle that leads nowhere is answered before any model is asked.
	if (found.length === 0) return answer(request, find, pager);
	const why = await forbids(ctx);
	if (why !== undefined) return instead(why);
	const models = chain.models(ctx);
	const originals = found.map(({ handle, toolName, what, text }) => ({ handle, title: `${toolName} ${what}`, text }));
	let failure = "no model can be asked";
	for (const model of models) {
		const reading = await read(
			originals,
			{ question, grep, range, budget: limit },
			{ pager, redacts: redacts(), signal, send: sender(model, ctx, signal) },
		);
		used.push(...reading.usage);
		const { outcome } = reading;
		if (!("failure" in outcome)) {
			const details = {
				recalled: [],
				unknown: [],
				lost: [],
				read: { quotes: outcome.quotes, dropped: outcome.dropped },
			};
			const text = [heading(reading, outcome, model, question), outcome.text].join("\n");
			const missing = all.flatMap(({ handle, original }) => (original.kind === "found" ? [] : [handle]));
			const notes = missing.length > 0 ? [`[zip_recall: no original has the handle ${missing.join(", ")}]`] : [];
			return {
				content: [text, ...notes].map((one) => ({ type: "text", text: one })),
				details,
				...withUsage(used),
			};
		}
		if (outcome.failure === "it was stopped") return { ...refuse("stopped"), ...withUsage(used) };
		chain.fail(model);
		failure = `${outcome.failure} (${nameOf(model)})`;
	}
	return instead(failure);
}

function heading(
	{ turns, read: seen, of, redacted }: Reading,
	{ quotes, dropped }: { quotes: number; dropped: number },
	model: Model,
	question: string,
): string {
	const facts = [
		`read for ${oneLine(JSON.stringify(question), QUESTION_UNITS)} by ${nameOf(model)} in ${turns === 1 ? "1 turn" : `${turns} turns`}`,
		seen >= of
			? `all ${of} characters`
			: `${Math.min(seen, of)} of ${of} characters: what stands elsewhere was not seen`,
		quotes > 0
			? `${quotes} ${quotes === 1 ? "quote stands" : "quotes stand"} in the originals as given`
			: "No quote proves it",
		...(dropped > 0
			? [
					`${dropped} ${dropped === 1 ? "quote was" : "quotes were"} in no original and dropped: do not rely on what leans on them`,
				]
			: []),
		...(redacted > 0 ? [`Secrets were taken out of ${redacted} ${redacted === 1 ? "line" : "lines"} before`] : []),
		"zip_recall with range shows the lines around a quote",
	];
	return `[zip_recall: ${facts.join(". ")}.]`;
}

function withUsage(used: readonly Usage[]): { usage?: Usage } {
	const usage = total(used);
	return usage ? { usage } : {};
}

/** Requests of one reader: a conversation of their own, which shares nothing with the session's. */
function sender(model: Model, ctx: ExtensionContext, signal: AbortSignal | undefined): Send {
	const sessionId = randomUUID();
	const maxTokens = Math.min(ANSWER_TOKENS, model.maxTokens > 0 ? model.maxTokens : ANSWER_TOKENS);
	return async (context, isLong): Promise<AssistantMessage> => {
		const late = AbortSignal.timeout(MOST_TIME);
		const within = signal ? AbortSignal.any([signal, late]) : late;
		const options = {
			maxTokens,
			sessionId,
			maxRetries: 1,
			// What is read in one turn is paid once; of several the later ones read from the cache.
			cacheRetention: isLong ? ("short" as const) : ("none" as const),
			signal: within,
		};
		const { systemPrompt, messages, tools } = context;
		const stream = ctx.modelRegistry.streamSimple(
			model,
			{ systemPrompt, messages: [...messages], tools } as never,
			options,
		);
		const answer = await answered(stream, within);
		// Given up, and not by the user.
		return late.aborted && !signal?.aborted ? { ...answer, stopReason: "error" } : answer;
	};
}
