/**
 * The last request that went out, as far as it passed us: whether it is what Pi makes of the session, and the same request
 * once more with an instruction behind it, which reads from the provider's cache.
 *
 * Extension hooks do not see a summary's request. So where the request differs from Pi's own by anything but our edits,
 * somebody redacts or rewrites, and originals must not be sent past him. It is held in memory, one at a time, and only
 * while it is small. What is done to a payload behind us cannot be seen here.
 */

import { answered } from "../answered.ts";
import { isRecord } from "../content.ts";
import {
	type AssistantMessage,
	type ExtensionContext,
	type Host,
	type Message,
	type Model,
	physicalModel,
	type ThinkingLevel,
} from "../host.ts";
import { later, type Timer } from "../timer.ts";

/** UTF-16 units of the texts of a request that is held: 8 MiB of what mostly is one byte a unit on the wire. */
const MOST_UNITS = 8 * 1024 * 1024;

/** Fields that differ between a request and one that only shows how Pi would write it. */
const LIMITS = new Set(["max_tokens", "max_completion_tokens", "max_output_tokens"]);
/** Where each API keeps the messages. */
const LISTS = ["messages", "input", "contents"];

interface Request {
	readonly payload: Record<string, unknown>;
	readonly model: Model;
	readonly thinking: ThinkingLevel;
}

/** What a request shows, from what Pi projects. */
export type View = (messages: readonly Message[]) => readonly Message[];

/** Raised to end a request before it is sent. */
class NotSent extends Error {}

export class Sent {
	readonly #host: Host;
	readonly #repair: (payload: unknown) => unknown;
	#request: Request | undefined;
	/** Of a request that was let go: whether it was Pi's own. */
	#verdict: Promise<boolean | undefined> | undefined;
	#timer: Timer | undefined;
	/** The request was found small enough to be held. */
	#fits = false;
	#isExpected = false;

	/** `repair` is what we do to each payload. */
	constructor(host: Host, repair: (payload: unknown) => unknown) {
		this.#host = host;
		this.#repair = repair;
	}

	/** A request of the session is about to be made: what comes next is one. */
	expect(): void {
		this.#isExpected = true;
	}

	/** Whether the last request is held, or what it has shown is known. */
	get isKnown(): boolean {
		return this.#verdict !== undefined || this.holds;
	}

	/** Whether a request is held. */
	get holds(): boolean {
		return this.#held() !== undefined;
	}

	/** Whether what goes out next is a request of the session. */
	get isExpected(): boolean {
		return this.#isExpected;
	}

	/** Takes note of a payload as it goes out. */
	keep(payload: unknown, ctx: ExtensionContext): void {
		if (!this.#isExpected) return;
		this.#isExpected = false;
		this.show(payload, ctx);
	}

	/** Takes note of a payload that may go out. */
	show(payload: unknown, ctx: ExtensionContext): void {
		this.drop();
		const { model, thinkingLevel: thinking } = ctx;
		// Of a virtual model nobody knows yet who will answer.
		const isKnown = model !== undefined && physicalModel(ctx) === model;
		this.#request = isRecord(payload) && isKnown ? { payload, model, thinking } : undefined;
		this.#fits = false;
	}

	/**
	 * No request is on its way: lets go of what is too large to be held, and of all once its cache is gone. `left` tells the
	 * milliseconds until then, and may throw where the session is over.
	 */
	rest(ctx: ExtensionContext, left: () => number): void {
		clearTimeout(this.#timer);
		if (!this.holds) return;
		const end = () => {
			try {
				if (left() > 0) this.rest(ctx, left);
				else this.free(ctx);
			} catch {
				this.drop();
			}
		};
		this.#timer = later(left(), end);
	}

	/** Lets go of the request, and keeps what it has shown: whether it was Pi's own. */
	free(ctx: ExtensionContext): void {
		const request = this.#held();
		if (!request) return;
		this.drop();
		this.#verdict = this.#isPisOwn(request, ctx, (messages) => messages).catch(() => undefined);
	}

	/** The request, if it is small. It is looked through once, and not before it goes out: that would hold it up. */
	#held(): Request | undefined {
		if (this.#request && !this.#fits) {
			this.#fits = units(this.#request.payload, MOST_UNITS) <= MOST_UNITS;
			if (!this.#fits) this.#request = undefined;
		}
		return this.#request;
	}

	drop(): void {
		clearTimeout(this.#timer);
		this.#request = undefined;
		this.#verdict = undefined;
	}

	/**
	 * Whether the last request is what Pi makes of the session; undefined where none is known. `view` adds what is carried and
	 * not persisted yet.
	 */
	async isPisOwn(ctx: ExtensionContext, view: View = (messages) => messages): Promise<boolean | undefined> {
		const request = this.#held();
		return request ? this.#isPisOwn(request, ctx, view) : this.#verdict;
	}

	async #isPisOwn(request: Request, ctx: ExtensionContext, view: View): Promise<boolean> {
		const own = await this.#serialise(request, ctx, view);
		return own !== undefined && begins(own, request.payload);
	}

	/**
	 * Sends the last request again, with what came since and an instruction behind it. Undefined where what would go out
	 * does not begin with that request, or another model is in use: then nothing was sent.
	 */
	async extend(instruction: string, ctx: ExtensionContext, signal: AbortSignal): Promise<AssistantMessage | undefined> {
		const request = this.#held();
		if (!request || request.model !== ctx.model || request.thinking !== ctx.thinkingLevel) return undefined;
		let isSent = false;
		const prepare = (payload: unknown) => {
			const own = this.#repair(payload) ?? payload;
			const body = isRecord(own) && begins(own, request.payload) ? extended(own, request.payload) : undefined;
			if (body === undefined) throw new NotSent("the request cannot be repeated");
			isSent = true;
			return body;
		};
		const content = [{ type: "text" as const, text: instruction }];
		const last = { role: "user" as const, content, timestamp: Date.now() };
		const message = await this.#stream(request, ctx, prepare, { signal, behind: [last] });
		return isSent ? message : undefined;
	}

	/** The last request as Pi would write it with these messages; undefined where it does not write it. Nothing is sent. */
	async rewritten(messages: readonly Message[], ctx: ExtensionContext): Promise<Record<string, unknown> | undefined> {
		const request = this.#held();
		const own = request && (await this.#serialise(request, ctx, () => messages));
		if (!request || !own || !LISTS.some((name) => Array.isArray(own[name]))) return undefined;
		const limits = Object.entries(request.payload).filter(([name]) => LIMITS.has(name));
		return { ...own, ...Object.fromEntries(limits) };
	}

	/** How Pi would write the session as it is now. Nothing is sent. */
	async #serialise(request: Request, ctx: ExtensionContext, view: View): Promise<Record<string, unknown> | undefined> {
		let own: unknown;
		const prepare = (payload: unknown) => {
			own = payload;
			throw new NotSent("nothing is sent");
		};
		// It ends in an error, which is what was wanted.
		await this.#stream(request, ctx, prepare, { behind: [], view }).catch(() => undefined);
		const repaired = this.#repair(own) ?? own;
		return isRecord(repaired) ? repaired : undefined;
	}

	/** As Pi sends a request of the session, without touching what the provider keeps of the conversation. */
	#stream(
		{ model, thinking }: Request,
		ctx: ExtensionContext,
		onPayload: (payload: unknown) => unknown,
		{ signal, behind, view }: { signal?: AbortSignal; behind: readonly Message[]; view?: View },
	): Promise<AssistantMessage> {
		const projected = ctx.sessionManager.buildSessionProjection().messages;
		const messages = [...(view?.(projected) ?? projected), ...behind];
		const options = {
			...(thinking === "off" ? {} : { reasoning: thinking }),
			sessionId: ctx.sessionManager.getSessionId(),
			disableContinuation: true,
			maxRetries: 0,
			transport: "sse" as const,
			...(signal ? { signal } : {}),
			onPayload,
		};
		const stream = ctx.modelRegistry.streamSimple(model, { messages: this.#host.pi.convertToLlm(messages) }, options);
		return signal ? answered(stream, signal) : stream.result();
	}
}

/** Marks that providers take in one request. */
const MOST_MARKS = 4;

/** The longer request, with the mark at which the shorter one was written. Undefined where there would be too many. */
function extended(own: Record<string, unknown>, before: Record<string, unknown>): Record<string, unknown> | undefined {
	const list = listOf(before);
	if (!list) return undefined;
	const [messages, sent] = [(own[list] as unknown[]).slice(), before[list] as unknown[]];
	const marked = sent.findLastIndex((message) => marksIn(message) > 0);
	for (const [index, message] of sent.entries()) {
		if (index < messages.length - 1 && (index === marked || marksIn(message) === 0) && !isEmptySystem(message))
			messages[index] = message;
	}
	const body = { ...own, [list]: messages };
	if (marksIn(body) <= MOST_MARKS) return body;
	// The system prompt's mark behind the tools covers them too.
	const { tools, system } = body as Record<string, unknown>;
	if (!Array.isArray(tools) || marksIn(system) === 0) return undefined;
	const bare = { ...body, tools: tools.map((tool) => (isRecord(tool) ? { ...tool, cache_control: undefined } : tool)) };
	return marksIn(bare) <= MOST_MARKS ? bare : undefined;
}

function marksIn(value: unknown): number {
	if (typeof value !== "object" || value === null) return 0;
	let marks = 0;
	for (const [key, inner] of Object.entries(value)) {
		const isMark = (key === "cache_control" || key === "cachePoint") && inner !== undefined;
		marks += isMark ? 1 : marksIn(inner);
	}
	return marks;
}

function listOf(payload: Record<string, unknown>): string | undefined {
	return LISTS.find((name) => Array.isArray(payload[name]));
}

/** Whether a request begins as `before` does: all fields equal, and the messages as far as `before` has them. */
function begins(request: Record<string, unknown>, before: Record<string, unknown>): boolean {
	const list = listOf(before);
	if (!list || !Array.isArray(request[list])) return false;
	const names = new Set([...Object.keys(request), ...Object.keys(before)].filter((name) => !LIMITS.has(name)));
	for (const name of names) if (name !== list && !same(request[name], before[name])) return false;
	const [all, first] = [request[list], (before[list] as unknown[]).slice()];
	while (isEmptySystem(first.at(-1))) first.pop();
	return first.every((message, index) => same(all[index], message));
}

/** Current Claude models get settings of a request as a last message without content. */
function isEmptySystem(message: unknown): boolean {
	return (
		isRecord(message) && message.role === "system" && Array.isArray(message.content) && message.content.length === 0
	);
}

function same(one: unknown, other: unknown): boolean {
	return written(one) === written(other);
}

/** As JSON without cache marks (Bedrock's are blocks of their own), a content that is one string as one block of text. */
function written(value: unknown): string {
	return (
		JSON.stringify(value, (key, inner: unknown) => {
			if (key === "cache_control") return undefined;
			if (Array.isArray(inner)) return inner.filter((block) => !(isRecord(block) && "cachePoint" in block));
			if (key === "content" && typeof inner === "string") return [{ type: "text", text: inner }];
			return inner;
		}) ?? ""
	);
}

/** UTF-16 units of all strings in a value; not looked through further once they are more than `most`. */
function units(value: unknown, most: number): number {
	if (typeof value === "string") return value.length;
	if (typeof value !== "object" || value === null) return 0;
	let sum = 0;
	for (const inner of Object.values(value)) {
		sum += units(inner, most - sum);
		if (sum > most) break;
	}
	return sum;
}
