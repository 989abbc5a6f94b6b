/** Real Pi in RPC mode, one long-lived process: commands with their answers, events, and waiting for them. */
import { type Child, start, within } from "./child.ts";
import type { Command } from "./launch.ts";

export interface Event {
	type: string;
	[field: string]: unknown;
}

/** Milliseconds; generous, since the machine may be shared. */
const TIMEOUT = 90_000;
const SHUTDOWN = 20_000;

export class RpcPi {
	readonly events: Event[] = [];
	readonly #child: Child;
	readonly #answers = new Map<string, (answer: Event) => void>();
	readonly #listeners = new Set<() => void>();
	#commands = 0;

	constructor(command: Command) {
		this.#child = start(command);
		let rest = "";
		this.#child.process.stdout.setEncoding("utf8").on("data", (text: string) => {
			const lines = (rest + text).split("\n");
			rest = lines.pop() ?? "";
			for (const line of lines) if (line !== "") this.#take(JSON.parse(line) as Event);
		});
		void this.#child.exited.then(() => this.#wake());
	}

	#take(event: Event): void {
		if (event.type === "response" && typeof event.id === "string") this.#answers.get(event.id)?.(event);
		else this.events.push(event);
		this.#wake();
	}

	#wake(): void {
		for (const listener of this.#listeners) listener();
	}

	/** Sends a command and gives its data; throws what Pi answered when it failed. */
	async ask<T = unknown>(type: string, fields: { [name: string]: unknown } = {}): Promise<T> {
		this.#commands += 1;
		const id = `c${this.#commands}`;
		const answer = new Promise<Event>((done) => this.#answers.set(id, done));
		this.#child.process.stdin.write(`${JSON.stringify({ id, type, ...fields })}\n`);
		const gone = this.#child.exited.then((code): never => {
			throw new Error(`Pi ended with ${code} during ${type}: ${this.#child.stderr()}`);
		});
		const got = await within(
			Promise.race([answer, gone]),
			TIMEOUT,
			() => `the answer to ${type}; stderr: ${this.stderr}`,
		);
		if (got.success !== true) throw new Error(`${type}: ${String(got.error)}`);
		return got.data as T;
	}

	/** The first event from position `from` on that fits. */
	async event(fits: (event: Event) => boolean, from = this.events.length): Promise<Event> {
		let at = from;
		const found = new Promise<Event>((done) => {
			const look = () => {
				for (; at < this.events.length; at += 1) {
					const event = this.events[at]!;
					if (!fits(event)) continue;
					this.#listeners.delete(look);
					done(event);
					return;
				}
			};
			this.#listeners.add(look);
			look();
		});
		const recent = () => this.events.slice(-8).map(({ type }) => type);
		return within(found, TIMEOUT, () => `an event; last: ${recent().join(", ")}; stderr: ${this.stderr}`);
	}

	settled(from = this.events.length): Promise<Event> {
		return this.event(({ type }) => type === "agent_settled", from);
	}

	/** Sends a prompt (or an extension's command) and waits until Pi has nothing more to do for it. */
	async run(message: string): Promise<void> {
		const from = this.events.length;
		const { disposition } = await this.ask<{ disposition: string }>("prompt", { message });
		if (disposition !== "handled") await this.settled(from);
	}

	/** Texts of `notify` calls. */
	get notices(): string[] {
		return this.events
			.filter(({ type, method }) => type === "extension_ui_request" && method === "notify")
			.map(({ message }) => String(message));
	}

	/** Failures of extensions that Pi reported. */
	get extensionErrors(): Event[] {
		return this.events.filter(({ type }) => type === "extension_error");
	}

	get stderr(): string {
		return this.#child.stderr();
	}

	async sessionFile(): Promise<string> {
		return (await this.ask<{ sessionFile: string }>("get_state")).sessionFile;
	}

	/** Orderly end; gives the exit code. */
	async close(): Promise<number | null> {
		this.#child.process.stdin.end();
		return within(this.#child.exited, SHUTDOWN, () => "Pi's end");
	}

	/** SIGKILL. */
	kill(): Promise<void> {
		return this.#child.kill();
	}
}
