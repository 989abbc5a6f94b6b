/**
 * The last request that went out, as far as it passed us, and whether it is what Pi makes of the session.
 *
 * Extension hooks do not see a summary's request. So where the request differs from Pi's own by anything but our edits,
 * somebody redacts or rewrites, and originals must not be sent past him. It is held in memory, one at a time, and only
 * while it is small. What is done to a payload behind us cannot be seen here.
 */

import { isRecord } from "../feed.ts";
import { type ExtensionContext, type Host, type Model, physicalModel, type ThinkingLevel } from "../host.ts";

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

/** Raised to end a request before it is sent. */
class NotSent extends Error {}

export class Sent {
	readonly #host: Host;
	readonly #repair: (payload: unknown) => unknown;
	#request: Request | undefined;
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

	/** Takes note of a payload as it goes out. */
	keep(payload: unknown, ctx: ExtensionContext): void {
		if (!this.#isExpected) return;
		this.#isExpected = false;
		const { model, thinkingLevel: thinking } = ctx;
		const fits = isRecord(payload) && units(payload, MOST_UNITS) <= MOST_UNITS;
		// Of a virtual model nobody knows yet who will answer.
		const isKnown = model !== undefined && physicalModel(ctx) === model;
		this.#request = fits && isKnown ? { payload, model, thinking } : undefined;
	}

	drop(): void {
		this.#request = undefined;
	}

	/** Whether the last request is what Pi makes of the session; undefined where none is known. */
	async isPisOwn(ctx: ExtensionContext): Promise<boolean | undefined> {
		const request = this.#request;
		if (!request) return undefined;
		const own = await this.#serialise(request, ctx);
		return own !== undefined && begins(own, request.payload);
	}

	/** How Pi would write the session as it is now. Nothing is sent. */
	async #serialise({ model, thinking }: Request, ctx: ExtensionContext): Promise<Record<string, unknown> | undefined> {
		let own: unknown;
		const messages = this.#host.pi.convertToLlm(ctx.sessionManager.buildSessionProjection().messages);
		const stream = ctx.modelRegistry.streamSimple(
			model,
			{ messages },
			{
				...(thinking === "off" ? {} : { reasoning: thinking }),
				sessionId: ctx.sessionManager.getSessionId(),
				disableContinuation: true,
				maxRetries: 0,
				transport: "sse",
				onPayload(payload) {
					own = payload;
					throw new NotSent("nothing is sent");
				},
			},
		);
		// It ends in an error, which is what was wanted.
		await stream.result().catch(() => undefined);
		const repaired = this.#repair(own) ?? own;
		return isRecord(repaired) ? repaired : undefined;
	}
}

/** Whether a request begins as `before` does: all fields equal, and the messages as far as `before` has them. */
function begins(request: Record<string, unknown>, before: Record<string, unknown>): boolean {
	const list = LISTS.find((name) => Array.isArray(before[name]));
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
