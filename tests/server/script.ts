/**
 * What the scripted model says. A script is a function from what the request shows to an answer; `conversation` builds
 * the usual one, a list of answers for each prompt. Knows nothing of any provider's wire form.
 */
import type { Json } from "./tokens.ts";

export interface Call {
	/** Left out: the server gives an id. */
	id?: string;
	name: string;
	input: { [key: string]: Json };
}

export interface Answer {
	thinking?: string;
	text?: string;
	calls?: Call[];
	/** Refuse with this instead of answering. */
	error?: { status: number; type: string; message: string };
	/** Send the beginning and then nothing, until the client hangs up. */
	hang?: boolean;
	/** Wait for this before the first byte. */
	after?: Promise<unknown>;
}

/** One message as every provider's request has it: what a script can look at. */
export interface SeenMessage {
	role: "system" | "user" | "assistant" | "tool";
	/** Text of the message, or of the tool result. */
	text: string;
	/** Calls made by an assistant message. */
	calls: { id: string; name: string }[];
	/** The call that a tool result answers. */
	callId?: string;
}

export interface Prompt {
	/** Number of this request among the main ones, from 0. */
	index: number;
	model: string;
	messages: SeenMessage[];
	tools: string[];
}

export type Script = (prompt: Prompt) => Answer | Promise<Answer>;

export interface Exchange {
	prompt: string;
	/** One answer for each request of the run; functions see the request. */
	answers: (Answer | ((prompt: Prompt) => Answer))[];
}

/**
 * Answers by the newest known prompt in the view and the number of assistant messages behind it, so that steering,
 * retries, forks and resumed sessions find their place again.
 */
export function conversation(exchanges: Exchange[]): Script {
	const answers = new Map(exchanges.map((exchange) => [exchange.prompt, exchange.answers]));
	return (prompt) => {
		const start = prompt.messages.findLastIndex(({ role, text }) => role === "user" && answers.has(text));
		const known = prompt.messages[start];
		if (known === undefined) return { text: "I have nothing to say to that." };
		const said = prompt.messages.slice(start).filter(({ role }) => role === "assistant").length;
		const answer = answers.get(known.text)?.[said] ?? { text: "Done." };
		return typeof answer === "function" ? answer(prompt) : answer;
	};
}

/** Answers in this order, whatever the requests hold. */
export function sequence(answers: Answer[]): Script {
	return ({ index }) => answers[index] ?? { text: "Done." };
}
