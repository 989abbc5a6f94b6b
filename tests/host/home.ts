/**
 * A throw-away place for one Pi: home, agent directory with models and settings, and a project folder. Pi never sees
 * the user's own folder or environment.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Prices } from "../server/bill.ts";
import { DEFAULT_PRICES } from "../server/bill.ts";

export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
export const NODE = join(ROOT, "node_modules/.bin/node");
export const PI = join(ROOT, "node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js");
/** The extension as Pi loads it. */
export const PI_ZIP = join(ROOT, "pkg-js");
export const PROVIDER = "scripted";

export type Api = "anthropic-messages" | "openai-completions" | "openai-responses";

export interface Model {
	id: string;
	api: Api;
	/** Seconds by tier, as the model declares them. */
	promptCache?: { short?: number; long?: number };
	contextWindow?: number;
	reasoning?: boolean;
	prices?: Prices;
	compat?: { [key: string]: unknown };
}

export interface HomeOptions {
	port: number;
	models: Model[];
	settings?: { [key: string]: unknown };
	/** Use this folder, which is then not removed. */
	project?: string;
}

/** Tokens; larger than any scripted session needs. */
const CONTEXT_WINDOW = 400_000;

function modelEntry(
	{ id, api, promptCache, contextWindow, reasoning, prices = DEFAULT_PRICES, compat }: Model,
	port: number,
) {
	return {
		id,
		api,
		// Anthropic's client adds the version to the path, OpenAI's does not.
		baseUrl: `http://127.0.0.1:${port}${api === "anthropic-messages" ? "" : "/v1"}`,
		reasoning: reasoning ?? false,
		contextWindow: contextWindow ?? CONTEXT_WINDOW,
		maxTokens: 8192,
		cost: { input: prices.input, output: prices.output, cacheRead: prices.read, cacheWrite: prices.write ?? 0 },
		...(promptCache ? { promptCache } : {}),
		...(compat ? { compat } : {}),
	};
}

export class Home {
	readonly root = realpathSync(mkdtempSync(join(tmpdir(), "pi-zip-e2e-")));
	readonly #atExit = () => this.remove();
	readonly agent = join(this.root, "agent");
	readonly sessions = join(this.root, "sessions");
	readonly project: string;

	constructor({ port, models, settings, project }: HomeOptions) {
		this.project = project ?? join(this.root, "project");
		process.on("exit", this.#atExit);
		for (const folder of [join(this.root, "home"), this.agent, this.sessions, this.project]) {
			mkdirSync(folder, { recursive: true });
		}
		const provider = {
			baseUrl: `http://127.0.0.1:${port}`,
			apiKey: "scripted-key",
			models: models.map((one) => modelEntry(one, port)),
		};
		writeFileSync(join(this.agent, "models.json"), JSON.stringify({ providers: { [PROVIDER]: provider } }));
		const defaults = {
			quietStartup: true,
			defaultProjectTrust: "always",
			retry: { baseDelayMs: 20 },
			defaultProvider: PROVIDER,
			defaultModel: models[0]?.id,
		};
		writeFileSync(join(this.agent, "settings.json"), JSON.stringify({ ...defaults, ...settings }));
	}

	/** The whole environment of Pi's process; nothing else is inherited. */
	env(extra: { [name: string]: string } = {}): { [name: string]: string } {
		return {
			PATH: `${join(ROOT, "node_modules/.bin")}:${process.env.PATH ?? ""}`,
			HOME: join(this.root, "home"),
			TERM: "xterm-256color",
			LANG: "C.UTF-8",
			PI_CODING_AGENT_DIR: this.agent,
			PI_OFFLINE: "1",
			PI_SKIP_VERSION_CHECK: "1",
			PI_TELEMETRY: "0",
			...extra,
		};
	}

	remove(): void {
		process.off("exit", this.#atExit);
		rmSync(this.root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
	}
}
