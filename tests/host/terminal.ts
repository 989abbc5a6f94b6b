/** Real Pi in its terminal interface, in a pseudo-terminal whose screen can be read. */
import { type IPty, spawn } from "@lydell/node-pty";
import xterm from "@xterm/headless";
import { within } from "./child.ts";
import type { Command } from "./launch.ts";

/** Milliseconds. */
const TIMEOUT = 60_000;

export class TerminalPi {
	readonly #pty: IPty;
	readonly #screen: InstanceType<typeof xterm.Terminal>;
	readonly #exited: Promise<number>;
	#ended = false;
	#changed: () => void = () => {};

	constructor({ file, args, cwd, env }: Command, columns = 100, rows = 50) {
		this.#screen = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 2000 });
		this.#pty = spawn(file, args, { cols: columns, rows, cwd, env, name: "xterm-256color" });
		this.#pty.onData((data) => this.#screen.write(data, () => this.#changed()));
		// What Pi asks of its terminal is answered by the emulator.
		this.#screen.onData((data) => this.#pty.write(data));
		this.#exited = new Promise((done) =>
			this.#pty.onExit(({ exitCode }) => {
				this.#ended = true;
				done(exitCode);
			}),
		);
	}

	/** Lines of the screen, right-trimmed. */
	lines(): string[] {
		const buffer = this.#screen.buffer.active;
		const lines: string[] = [];
		for (let row = 0; row < this.#screen.rows; row += 1) {
			lines.push(buffer.getLine(buffer.baseY + row)?.translateToString(true) ?? "");
		}
		return lines;
	}

	text(): string {
		return this.lines().join("\n");
	}

	type(text: string): void {
		this.#pty.write(text);
	}

	async submit(text: string): Promise<void> {
		this.type(text);
		await this.until((screen) => screen.includes(text));
		this.type("\r");
	}

	async until(fits: (screen: string) => boolean): Promise<string> {
		const seen = new Promise<string>((done) => {
			this.#changed = () => {
				const screen = this.text();
				if (fits(screen)) done(screen);
			};
			this.#changed();
		});
		return within(seen, TIMEOUT, () => `the screen; it shows:\n${this.text()}`);
	}

	async close(): Promise<void> {
		if (!this.#ended) this.#pty.kill("SIGKILL");
		await this.#exited;
		this.#screen.dispose();
	}
}
