/**
 * What `/zip report` and `/zip stats` ask of a replay of this session: a page, and the bill that closes.
 *
 * The replay runs in a thread and reads the session's file. On a terminal it shows that it is at work, and Esc stops it.
 */

import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { runCommandLine } from "./command-line.ts";
import { count } from "./format.ts";
import type { ExtensionCommandContext, Host } from "./host.ts";
import { money, percent, saving } from "./money.ts";

/** What of the command line's answer is used. */
interface Replayed {
	requests: number;
	dollars: boolean;
	estimated: boolean;
	simulated: boolean;
	billed: number;
	bill: { part: string; money: number }[];
	/** The session as it went, in the same simulation as the policies. */
	recorded: number;
	policies: { policy: string; cost: number }[];
}

const PARTS: Readonly<Record<string, string>> = {
	read: "read from cache",
	new: "new",
	expired: "written again, cache expired",
	ours: "written again, a fold",
	others: "written again, other changes",
	unexplained: "unexplained",
	output: "answers",
	aside: "summaries and other calls",
};

export class Replays {
	readonly #host: Host;
	readonly #run: typeof runCommandLine;
	#session = new AbortController();

	/** `run` stands in for the thread in tests. */
	constructor(host: Host, run: typeof runCommandLine = runCommandLine) {
		this.#host = host;
		this.#run = run;
	}

	/** Stops what is under way at the end of a session. */
	close(): void {
		this.#session.abort();
		this.#session = new AbortController();
	}

	/** Writes the page beside the user's temporary files; what to say of it. */
	async report(ctx: ExtensionCommandContext): Promise<string> {
		const file = ctx.sessionManager.getSessionFile();
		if (file === undefined) return `${NO_REPORT}: this session is kept in no file`;
		if (!isAnswered(ctx)) return `${NO_REPORT}: nothing was answered yet`;
		const page = join(tmpdir(), `pi-zip-${basename(file, ".jsonl")}.html`);
		try {
			const done = await this.#watched(ctx, ["report", file, "--output", page, "--say-where", ...prices(ctx)]);
			return done === undefined ? "pi-zip · stopped" : `pi-zip · wrote ${page}`;
		} catch (error) {
			return `${NO_REPORT}: ${reason(error)}`;
		}
	}

	/** The bill of the session and what pi-zip saved of it, in lines. */
	async bill(ctx: ExtensionCommandContext): Promise<string[]> {
		const file = ctx.sessionManager.getSessionFile();
		if (file === undefined) return ["bill: not known (this session is kept in no file)"];
		if (!isAnswered(ctx)) return ["bill: nothing was answered yet"];
		try {
			const answer = await this.#watched(ctx, ["replay", file, "--json", ...prices(ctx)]);
			if (answer === undefined) return ["bill: stopped"];
			const [session] = (JSON.parse(answer) as { sessions: Replayed[] }).sessions;
			return session && session.requests > 0 ? billLines(session) : ["bill: no answer has reported its tokens"];
		} catch (error) {
			return [`bill: not known (${reason(error)})`];
		}
	}

	async #watched(ctx: ExtensionCommandContext, args: readonly string[]): Promise<string | undefined> {
		const session = this.#session.signal;
		if (ctx.mode !== "tui") return this.#run(args, session);
		const { BorderedLoader } = this.#host.pi;
		const outcome = await ctx.ui.custom<{ text?: string; error?: unknown }>((tui, theme, _keys, done) => {
			const loader = new BorderedLoader(tui, theme, "Replaying this session…");
			loader.onAbort = () => done({});
			this.#run(args, AbortSignal.any([loader.signal, session])).then(
				(text) => done({ text }),
				(error: unknown) => done({ error }),
			);
			return loader;
		});
		if (outcome.error !== undefined) throw outcome.error;
		return outcome.text;
	}
}

/** The prices of the models that answered, as they are in force here. */
function prices(ctx: ExtensionCommandContext): string[] {
	const costs: Record<string, unknown> = {};
	for (const entry of ctx.sessionManager.getBranch()) {
		if (entry.type !== "message" || entry.message.role !== "assistant") continue;
		const { provider, model } = entry.message;
		costs[`${provider}/${model}`] ??= ctx.modelRegistry.find(provider, model)?.cost;
	}
	return ["--prices", JSON.stringify(costs)];
}

const NO_REPORT = "pi-zip · no report";

/** Pi writes no file before the first answer. */
function isAnswered(ctx: ExtensionCommandContext): boolean {
	return ctx.sessionManager.getBranch().some((entry) => entry.type === "message" && entry.message.role === "assistant");
}

export function billLines(session: Replayed): string[] {
	const { billed, bill, dollars, recorded, policies, estimated, simulated } = session;
	const parts = bill.filter(({ money: amount }) => amount > billed / 1_000);
	const told = parts.map(({ part, money: amount }) => `${PARTS[part] ?? part} ${money(amount, dollars)}`);
	const marks = [estimated ? "prices estimated" : "", simulated ? "use of the cache simulated" : ""].filter(Boolean);
	const plain = policies.find(({ policy }) => policy === "plain")?.cost ?? recorded;
	return [
		`billed: ${money(billed, dollars)} in ${count(session.requests, "request")}${marks.length > 0 ? ` (${marks.join(", ")})` : ""}`,
		`  ${told.join(", ")}`,
		`against plain Pi, by replay: ${money(recorded, dollars)} instead of ${money(plain, dollars)}, saved ${money(plain - recorded, dollars)} (${percent(saving(plain, recorded))})`,
	];
}

function reason(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
