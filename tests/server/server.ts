/**
 * The scripted model: an HTTP server on one port that speaks the streaming forms of three providers, refuses what they
 * refuse, keeps their prompt cache and a bill, and records each request. What it says comes from a script. Its clock is
 * an input. It does not know Pi.
 */
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { anthropic } from "./anthropic.ts";
import { type Charge, charge, DEFAULT_PRICES, type Prices, total } from "./bill.ts";
import { AutomaticCache, ExplicitCache, type PromptCache } from "./cache.ts";
import { chat } from "./chat.ts";
import { type Family, type Fields, type Memory, outputText, type Reply, str } from "./family.ts";
import { responses } from "./responses.ts";
import type { Answer, Prompt, Script } from "./script.ts";
import { type Block, countTokens, sumTokens } from "./tokens.ts";

export interface ServerOptions {
	script: Script;
	now: () => number;
	/** `explicit`: marks; `automatic`: longest prefix. */
	cache?: "explicit" | "automatic";
	/** Seconds that a short-tier entry lives. */
	lifetime?: number;
	/** A read renews only the entry it hit. */
	unkind?: boolean;
	prices?: Prices;
	/** Tokens above which a prompt is refused. */
	contextWindow?: number;
	/** What is answered to the summary requests, by their number from 0. */
	summary?: (index: number) => Answer;
}

/** A request as it came in, and what became of it. */
export interface Recorded {
	/** `main` asks the script; `refresh` is capped at one token; `summary` brings no tools. */
	kind: "main" | "refresh" | "summary";
	path: string;
	model: string;
	body: Fields;
	raw: string;
	at: number;
	blocks: Block[];
	/** Tokens of the prompt. */
	size: number;
	status: number;
	/** The refusal's or the error's words. */
	message?: string;
	charge?: Charge;
	/** The client hung up before the end. */
	aborted: boolean;
}

const FAMILIES = [anthropic, chat, responses];
/** The responses API takes no smaller cap. */
const SMALLEST_CAP = 16;
/** Seconds that a provider's short tier lives. */
const DEFAULT_LIFETIME = 300;
/** Output tokens up to this are a cache refresh, not an answer. */
const isRefresh = (cap: number | undefined, path: string): boolean =>
	cap !== undefined && cap <= (path.endsWith("/responses") ? SMALLEST_CAP : 1);

/** Milliseconds: the longest wait for a request, and between two looks. */
const PATIENCE = 30_000;
const LOOK_EVERY = 5;

export class ModelServer {
	readonly requests: Recorded[] = [];
	script: Script;
	readonly #options: ServerOptions;
	readonly #cache: PromptCache;
	readonly #memory: Memory = { calls: new Map(), signatures: new Map() };
	readonly #http = createServer((request, response) => void this.#handle(request, response));
	readonly #waiting: { hangs: number; wake: () => void }[] = [];
	#hangs = 0;
	#serial = 0;
	#mains = 0;
	#summaries = 0;

	constructor(options: ServerOptions) {
		this.#options = options;
		this.script = options.script;
		const settings = { lifetime: options.lifetime ?? DEFAULT_LIFETIME, unkind: options.unkind ?? false };
		this.#cache = options.cache === "automatic" ? new AutomaticCache(settings) : new ExplicitCache(settings);
	}

	async start(): Promise<void> {
		await new Promise<void>((done) => this.#http.listen(0, "127.0.0.1", done));
	}

	async stop(): Promise<void> {
		this.#http.closeAllConnections();
		await new Promise((done) => this.#http.close(done));
	}

	get port(): number {
		return (this.#http.address() as AddressInfo).port;
	}

	/** Requests that asked the script, refused ones included. */
	get main(): Recorded[] {
		return this.requests.filter(({ kind }) => kind === "main");
	}

	get refused(): Recorded[] {
		return this.requests.filter(({ status }) => status === 400);
	}

	bill(from = 0): Charge {
		return total(this.requests.slice(from).flatMap((request) => (request.charge ? [request.charge] : [])));
	}

	/** Resolves when this many answers have begun to hang, counted over the server's life. */
	hung(count: number): Promise<void> {
		if (this.#hangs >= count) return Promise.resolve();
		return new Promise((wake) => this.#waiting.push({ hangs: count, wake }));
	}

	/** Resolves once what has come in fits. */
	async received(fits: (server: ModelServer) => boolean): Promise<void> {
		const end = Date.now() + PATIENCE;
		while (!fits(this)) {
			if (Date.now() > end) throw new Error("what was waited for did not come in");
			await wait(LOOK_EVERY);
		}
	}

	async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const chunks: Buffer[] = [];
		for await (const chunk of request) chunks.push(chunk as Buffer);
		const path = request.url ?? "";
		const family = FAMILIES.find((one) => one.path.test(path));
		if (family === undefined) {
			response.writeHead(404).end("{}");
			return;
		}
		const raw = Buffer.concat(chunks).toString();
		const body = JSON.parse(raw) as Fields;
		const blocks = family.blocks(body);
		const refresh = isRefresh(family.cap(body), path);
		const kind = refresh ? "refresh" : family.tools(body).length === 0 ? "summary" : "main";
		const recorded: Recorded = {
			kind,
			path,
			model: str(body.model),
			body,
			raw,
			at: this.#options.now(),
			blocks,
			size: sumTokens(blocks),
			status: 200,
			aborted: false,
		};
		this.requests.push(recorded);
		response.on("close", () => {
			recorded.aborted = !response.writableFinished;
		});
		const refusal = family.refuse(body, this.#memory) ?? this.#tooLong(recorded.size);
		if (refusal !== undefined) return this.#fail(family, recorded, response, 400, "invalid_request_error", refusal);
		const answer = await this.#answer(family, recorded);
		await answer.after;
		if (answer.error) {
			return this.#fail(family, recorded, response, answer.error.status, answer.error.type, answer.error.message);
		}
		this.#send(family, recorded, answer, response);
	}

	#tooLong(size: number): string | undefined {
		const window = this.#options.contextWindow;
		return window !== undefined && size > window ? `prompt is too long: ${size} tokens > ${window} maximum` : undefined;
	}

	#answer(family: Family, { kind, body, model }: Recorded): Answer | Promise<Answer> {
		if (kind === "refresh") return { text: "." };
		if (kind === "summary") {
			this.#summaries += 1;
			return (
				this.#options.summary?.(this.#summaries - 1) ?? { text: "## Goal\nGo on with the work described so far.\n" }
			);
		}
		const prompt: Prompt = { index: this.#mains, model, messages: family.messages(body), tools: family.tools(body) };
		this.#mains += 1;
		return this.script(prompt);
	}

	#fail(
		family: Family,
		recorded: Recorded,
		response: ServerResponse,
		status: number,
		type: string,
		message: string,
	): void {
		recorded.status = status;
		recorded.message = message;
		response.writeHead(status, { "content-type": "application/json" });
		response.end(JSON.stringify(family.errorBody(type, message)));
	}

	#send(family: Family, recorded: Recorded, answer: Answer, response: ServerResponse): void {
		this.#serial += 1;
		const serial = this.#serial;
		const use = this.#cache.use(recorded.model, recorded.blocks, this.#options.now());
		const output = Math.max(1, countTokens(outputText(answer)));
		const { write, ...prices } = this.#options.prices ?? DEFAULT_PRICES;
		recorded.charge = charge(use, output, { ...prices, ...(write === undefined ? {} : { write }) });
		// Where writes have no price of their own the provider does not report them.
		const reported =
			this.#options.cache === "automatic" && write === undefined
				? { ...use, input: use.input + use.write, write: 0 }
				: use;
		const reply: Reply = {
			serial,
			model: recorded.model,
			...(answer.thinking === undefined ? {} : { thinking: answer.thinking, signature: this.#sign(answer.thinking) }),
			text: answer.text ?? "",
			calls: (answer.calls ?? []).map((call, index) => ({ ...call, id: call.id ?? family.callId(serial, index) })),
			use: reported,
			output,
		};
		for (const { id } of reply.calls) {
			this.#memory.calls.set(id, {
				model: reply.model,
				...(reply.thinking === undefined ? {} : { thinking: reply.thinking }),
			});
		}
		const events = family.events(reply);
		response.writeHead(200, { "content-type": "text/event-stream", "request-id": `req_${serial}` });
		if (!answer.hang) {
			response.end(events.join(""));
			return;
		}
		response.write(events.slice(0, Math.ceil(events.length / 2)).join(""));
		this.#hangs += 1;
		for (const { hangs, wake } of this.#waiting) if (hangs <= this.#hangs) wake();
	}

	#sign(thinking: string): string {
		const signature = createHash("sha256").update(`${thinking}\0${this.#serial}`).digest("base64");
		this.#memory.signatures.set(signature, thinking);
		return signature;
	}
}
