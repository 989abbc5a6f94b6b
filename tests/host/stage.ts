/**
 * One test's world: the scripted server, a clock, a throw-away home, and real Pi in any mode. All of it is gone when
 * the body returns or throws.
 */
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { ModelServer, type ServerOptions } from "../server/server.ts";
import { type Outcome, runToEnd } from "./batch.ts";
import { Clock } from "./clock.ts";
import { Home, type HomeOptions, type Model } from "./home.ts";
import { command, type LaunchOptions } from "./launch.ts";
import { RpcPi } from "./rpc.ts";
import { TerminalPi } from "./terminal.ts";

export interface StageOptions extends Omit<ServerOptions, "now">, Partial<Pick<HomeOptions, "settings" | "project">> {
	models?: Model[];
	/** Real time instead of a clock that the test moves. */
	realTime?: boolean;
}

/** Like the catalogue's: an explicit cache with declared lifetimes. */
export const CLAUDE: Model = {
	id: "claude-scripted",
	api: "anthropic-messages",
	promptCache: { short: 300, long: 3600 },
};
/** An automatic cache that declares nothing. */
export const CHAT: Model = { id: "chat-scripted", api: "openai-completions" };
export const RESPONSES: Model = { id: "responses-scripted", api: "openai-responses" };

/** Seconds of a step, and the real milliseconds that it takes. */
const STEP = 15;
const STEP_TAKES = 100;

export class Stage {
	readonly server: ModelServer;
	readonly home: Home;
	readonly #clock: Clock | undefined;
	readonly #open: { close: () => Promise<unknown> }[] = [];

	constructor(server: ModelServer, home: Home, clock: Clock | undefined) {
		this.server = server;
		this.home = home;
		this.#clock = clock;
	}

	/** Moves Pi's and the server's clock. */
	async advance(seconds: number): Promise<void> {
		if (this.#clock === undefined) throw new Error("this stage runs in real time");
		await this.#clock.advance(seconds * 1000);
	}

	/** Moves the clocks as time passes, so that timers that are moved end in their order, and what they do has time to be done. */
	async pass(seconds: number): Promise<void> {
		for (let left = seconds; left > 0; left -= STEP) {
			await this.advance(Math.min(left, STEP));
			await wait(STEP_TAKES);
		}
	}

	rpc(options: LaunchOptions = {}): RpcPi {
		const pi = new RpcPi(command(this.home, this.#clock, ["--mode", "rpc"], options));
		this.#open.push({ close: () => pi.kill() });
		return pi;
	}

	terminal(options: LaunchOptions = {}, columns?: number, rows?: number): TerminalPi {
		const pi = new TerminalPi(command(this.home, this.#clock, [], options), columns, rows);
		this.#open.push({ close: () => pi.close() });
		return pi;
	}

	print(prompt: string, options: LaunchOptions = {}): Promise<Outcome> {
		return runToEnd(command(this.home, this.#clock, ["--print", prompt], options));
	}

	json(prompt: string, options: LaunchOptions = {}): Promise<Outcome> {
		return runToEnd(command(this.home, this.#clock, ["--mode", "json", prompt], options));
	}

	async close(): Promise<void> {
		for (const one of this.#open) await one.close();
		await this.server.stop();
		this.home.remove();
	}
}

export async function onStage<T>(options: StageOptions, body: (stage: Stage) => Promise<T>): Promise<T> {
	const { models = [CLAUDE], settings, project, realTime, ...serverOptions } = options;
	let clock: Clock | undefined;
	const server = new ModelServer({ ...serverOptions, now: () => clock?.now() ?? Date.now() });
	await server.start();
	const home = new Home({
		port: server.port,
		models,
		...(settings ? { settings } : {}),
		...(project ? { project } : {}),
	});
	if (!realTime) clock = new Clock(join(home.root, "clock"));
	const stage = new Stage(server, home, clock);
	try {
		return await body(stage);
	} finally {
		await stage.close();
	}
}
