/**
 * Real Pi in this process: its agent session, extension runner and session manager, with the extension from the sources,
 * a scripted model, scripted tools, and a clock that the test moves. Every request is kept as it reached the extension,
 * as it left it, and as Pi would have sent it.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as pi from "@earendil-works/pi-coding-agent";
import * as tui from "@earendil-works/pi-tui";
import piZip from "../../src-ts/index.ts";
import { clock } from "./clock.ts";
import { type Answer, API, type Call, MODELS, PROVIDER, type Sent, streamBy } from "./model.ts";
import { FOLDED, isOurEdit, plainView } from "./plain.ts";

export type Factory = (api: pi.ExtensionAPI) => void;

export interface Options {
	/** Extensions that are loaded in front of pi-zip, and behind it. */
	readonly before?: readonly Factory[];
	readonly behind?: readonly Factory[];
	readonly session?: pi.SessionManager;
	/** Plain Pi. */
	readonly without?: boolean;
	readonly mode?: "rpc" | "tui" | "print";
	/** Calls are wrapped by it: what Pi hands to pi-zip. */
	readonly wrap?: (api: pi.ExtensionAPI) => pi.ExtensionAPI;
	readonly settings?: Parameters<typeof pi.SettingsManager.inMemory>[0];
}

/** One request of the session, in each of its forms; messages are JSON. */
export interface Request extends Sent {
	/** As it reached the first extension. */
	readonly seen: readonly string[];
	/** As it left the last one. */
	readonly view: readonly string[];
	/** Pi's projection as it would be without our edits. */
	readonly plain: readonly string[];
	/** Of each message of the projection, the entry that it comes from. */
	readonly ids: readonly string[];
	/** Whether it is the first since a prompt was given. */
	readonly first: boolean;
	/** Ids of the entries on the branch. */
	readonly branch: readonly string[];
	/** Whether the very list and body that reached the extension went out. */
	readonly untouched: boolean;
}

const { createEventBus } = pi;
let worlds = 0;
const folder = mkdtempSync(join(tmpdir(), "pi-zip-world-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

/** Not among what Pi's package exports. */
const LOADER = new URL(
	"../../node_modules/@earendil-works/pi-coding-agent/dist/core/extensions/loader.js",
	import.meta.url,
);
type LoadFactory = (
	factory: Factory,
	cwd: string,
	bus: ReturnType<typeof createEventBus>,
	runtime: ReturnType<typeof pi.createExtensionRuntime>,
	path: string,
) => Promise<pi.LoadExtensionsResult["extensions"][number]>;
const { loadExtensionFromFactory } = (await import(LOADER.href)) as { loadExtensionFromFactory: LoadFactory };

const NOTHING = { diagnostics: [] };

export class World {
	readonly requests: Request[] = [];
	readonly notices: string[] = [];
	/** What Pi reports of extensions that threw or returned what it cannot use. */
	readonly errors: string[] = [];
	/** What the user was asked to confirm, and what they answer. */
	readonly asked: string[] = [];
	agrees = true;
	/** What the user picks from the lists that are shown next, by a part of it; the rest is left. */
	readonly picks: string[] = [];
	readonly #options: Options;
	readonly #manager: pi.SessionManager;
	#session: pi.AgentSession | undefined;
	#runtime: pi.ModelRuntime | undefined;
	#answers: Answer[] = [];
	readonly #calls: Call[] = [];
	#first = true;
	#seen: Pick<Request, "seen" | "plain" | "ids" | "branch"> | undefined;
	#view: Pick<Request, "view" | "untouched"> = { view: [], untouched: false };
	/** The list that reached the first extension. */
	#list: object | undefined;

	/** What sessions of this world learn of caches; no other world sees it. */
	readonly learned = join(folder, `learned-${worlds++}.json`);

	private constructor(options: Options) {
		this.#options = options;
		this.#manager = options.session ?? pi.SessionManager.inMemory(folder);
	}

	static async open(options: Options = {}): Promise<World> {
		const world = new World(options);
		await world.start();
		return world;
	}

	get session(): pi.AgentSession {
		if (!this.#session) throw new Error("Pi is not running");
		return this.#session;
	}

	get manager(): pi.SessionManager {
		return this.#manager;
	}

	get last(): Request {
		const request = this.requests.at(-1);
		if (!request) throw new Error("no request was sent");
		return request;
	}

	/** Gives a prompt, and the answers to its requests; waits until the run has come to rest. */
	async prompt(text: string, answers: readonly Answer[]): Promise<void> {
		this.#answers = [...answers];
		this.#first = true;
		await this.session.prompt(text);
		await this.session.waitForIdle();
	}

	/** Runs `/zip` or another command. */
	async command(text: string): Promise<void> {
		await this.session.prompt(text);
	}

	async useModel(id: string): Promise<void> {
		const model = this.#runtime?.getModel(PROVIDER, id);
		if (!model) throw new Error(`no model ${id}`);
		await this.session.setModel(model);
	}

	/** Starts Pi on the session; a fresh instance of each extension. */
	async start(): Promise<void> {
		process.env.PI_ZIP_CACHE_STATS = this.learned;
		const runtime = await modelRuntime();
		this.#runtime = runtime;
		runtime.registerProvider(PROVIDER, {
			baseUrl: "http://localhost",
			apiKey: "none",
			api: API,
			models: MODELS,
			streamSimple: streamBy({
				next: () => this.#next(),
				isMain: (options) =>
					options?.sessionId === this.#manager.getSessionId() && options.disableContinuation !== true,
				abort: () => void this.session.abort(),
				sent: (request) => this.#keep(request),
			}),
		});
		const { session } = await pi.createAgentSession({
			cwd: folder,
			agentDir: folder,
			modelRuntime: runtime,
			model: runtime.getModel(PROVIDER, this.#modelId()),
			thinkingLevel: "off",
			noTools: "builtin",
			customTools: ["bash", "read", "grep", "edit"].map((name) => this.#tool(name)),
			resourceLoader: await this.#resources(),
			sessionManager: this.#manager,
			settingsManager: pi.SettingsManager.inMemory({
				compaction: { enabled: false, keepRecentTokens: 2_000 },
				retry: { enabled: false },
				cacheWarming: "off",
				...this.#options.settings,
			}),
		});
		this.#session = session;
		const mode = this.#options.mode ?? "rpc";
		const notify = (message: string) => void this.notices.push(message);
		await session.bindExtensions({
			mode,
			...(mode === "print" ? {} : { uiContext: { notify, ...this.#dialogs() } as pi.ExtensionUIContext }),
			onError: ({ event, error }) => void this.errors.push(`${event}: ${error}`),
		});
	}

	#dialogs(): Pick<pi.ExtensionUIContext, "confirm" | "select"> {
		return {
			confirm: async (_title, message) => {
				this.asked.push(message);
				return this.agrees;
			},
			select: async (_title, options) => {
				const pick = this.picks.shift();
				return pick === undefined ? undefined : options.find((option) => option.includes(pick));
			},
		};
	}

	/** Ends Pi as `/quit` does. */
	async stop(): Promise<void> {
		await this.session.extensionRunner.emit({ type: "session_shutdown", reason: "quit" });
		this.session.dispose();
		this.#session = undefined;
	}

	async restart(): Promise<void> {
		await this.stop();
		await this.start();
	}

	#modelId(): string {
		const model = this.#manager.buildSessionContext().model?.modelId;
		return MODELS.some(({ id }) => id === model) ? (model as string) : "one";
	}

	#next(): Answer {
		const answer = this.#answers.shift() ?? { text: "Done." };
		this.#calls.push(...(answer.calls ?? []));
		return answer;
	}

	#keep(sent: Sent): void {
		if (!this.#seen) throw new Error("a request went out that no extension saw");
		const untouched = this.#view.untouched && sent.sentPayload === sent.payload;
		this.requests.push({ ...sent, ...this.#seen, ...this.#view, untouched, first: this.#first });
		this.#first = false;
	}

	#tool(name: string): pi.ToolDefinition {
		return {
			name,
			label: name,
			description: `Scripted ${name}`,
			parameters: { type: "object", properties: {} } as pi.ToolDefinition["parameters"],
			execute: async (id) => {
				// Some providers use ids again, even within one answer: the first call that waits is meant.
				const at = this.#calls.findIndex((call) => call.id === id && call.name === name);
				const [call] = at < 0 ? [] : this.#calls.splice(at, 1);
				if (!call) throw new Error(`no output for ${id}`);
				call.during?.();
				if (call.throws) throw new Error(String(call.output));
				const content = typeof call.output === "string" ? [{ type: "text" as const, text: call.output }] : call.output;
				return { content: [...content], details: { from: id } };
			},
		};
	}

	async #resources(): Promise<pi.ResourceLoader> {
		const { before = [], behind = [], without, wrap = (api) => api } = this.#options;
		const zip: Factory = (api) => piZip(wrap(api), { pi: { ...pi, getAgentDir: () => folder }, tui });
		const factories = [this.#head, ...before, ...(without ? [] : [zip]), ...behind, this.#tail];
		const runtime = pi.createExtensionRuntime();
		const bus = createEventBus();
		const extensions: pi.LoadExtensionsResult["extensions"] = [];
		for (const [index, factory] of factories.entries()) {
			extensions.push(await loadExtensionFromFactory(factory, folder, bus, runtime, `<extension ${index}>`));
		}
		return {
			getExtensions: () => ({ extensions, errors: [], runtime }),
			getSkills: () => ({ skills: [], ...NOTHING }),
			getPrompts: () => ({ prompts: [], ...NOTHING }),
			getThemes: () => ({ themes: [], ...NOTHING }),
			getAgentsFiles: () => ({ agentsFiles: [] }),
			getSystemPrompt: () => "You work on a small project.",
			getSystemPromptSource: () => undefined,
			getAppendSystemPrompt: () => [],
			getAppendSystemPromptSources: () => [],
			extendResources() {},
			async reload() {},
		};
	}

	readonly #head: Factory = (api) => {
		api.on("context_with_system", (event, { sessionManager }) => {
			this.#list = event.messages;
			this.#seen = {
				seen: event.messages.map((message) => JSON.stringify(message)),
				branch: sessionManager.getBranch().map(({ id }) => id),
				...plainView(sessionManager.getBranch()),
			};
		});
	};

	readonly #tail: Factory = (api) => {
		api.on("context_with_system", (event) => {
			const view = event.messages.map((message) => JSON.stringify(message));
			this.#view = { view, untouched: event.messages === this.#list };
		});
	};
}

/** Runs a test in a world of its own. */
export async function inWorld(options: Options, body: (world: World) => Promise<void>): Promise<void> {
	clock.reset();
	const world = await World.open(options);
	try {
		await body(world);
	} finally {
		await world.stop();
	}
}

let shared: Promise<pi.ModelRuntime> | undefined;

function modelRuntime(): Promise<pi.ModelRuntime> {
	shared ??= pi.ModelRuntime.create({
		authPath: join(folder, "auth.json"),
		modelsPath: null,
		modelsStorePath: join(folder, "models.json"),
		refreshOnCreate: false,
	});
	return shared;
}

/** The placeholders of a request, by entry id. */
export function folds({ view, ids, plain }: Request): Map<string, string> {
	const found = new Map<string, string>();
	// Positions tell the entry only where no extension has added or removed messages.
	if (view.length !== plain.length) throw new Error("the view has other messages than Pi's projection");
	for (const [index, message] of view.entries()) {
		if (message === plain[index] || !message.includes(FOLDED)) continue;
		found.set(ids[index]!, JSON.parse(message).content[0].text);
	}
	return found;
}

/** The edits of ours that stand on the branch, by target. */
export function persisted(world: World): Map<string, string> {
	const branch = world.manager.getBranch();
	const edits = branch.filter((entry) => isOurEdit(entry, branch));
	const text = ({ replacement }: (typeof edits)[number]) => JSON.parse(JSON.stringify(replacement)).content[0].text;
	return new Map(edits.map((edit) => [edit.targetId, text(edit)]));
}
