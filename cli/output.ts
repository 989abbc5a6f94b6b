/**
 * Where a command writes: results to standard output, notes and progress to standard error.
 *
 * Colour only where a terminal takes it and nothing speaks against it. A reader that goes away (`| head`) is no failure.
 */

import { printable } from "./printable.ts";

const CLEAR_LINE = "\r\x1b[2K";

export class Output {
	readonly isTerminal: boolean;
	readonly #colours: boolean;
	readonly #bar: boolean;
	#drawn = false;
	#closed = false;

	constructor() {
		this.isTerminal = process.stdout.isTTY === true;
		const { NO_COLOR, TERM } = process.env;
		this.#colours = this.isTerminal && !NO_COLOR && TERM !== "dumb";
		this.#bar = process.stderr.isTTY === true && TERM !== "dumb";
		for (const stream of [process.stdout, process.stderr]) {
			stream.on("error", (error: { code?: string }) => {
				if (error.code !== "EPIPE") throw error;
				this.#closed = true;
			});
		}
	}

	/** Whether nobody reads any more. */
	get isClosed(): boolean {
		return this.#closed;
	}

	/** Columns of the terminal; no bound elsewhere. */
	get columns(): number {
		return this.isTerminal ? process.stdout.columns || 80 : Number.POSITIVE_INFINITY;
	}

	/** Writes text as it is; whoever calls has seen to it that a terminal may have it. */
	async write(text: string): Promise<void> {
		this.progress();
		if (this.#closed || text === "") return;
		await new Promise<void>((done) => process.stdout.write(text, () => done()));
	}

	/** One line to standard error. */
	note(text: string): void {
		this.progress();
		process.stderr.write(`pi-zip: ${printable(text)}\n`);
	}

	/** Draws a line that the next one replaces; without text it takes the line away. */
	progress(text = ""): void {
		if (!this.#bar || (text === "" && !this.#drawn)) return;
		const width = (process.stderr.columns || 80) - 1;
		process.stderr.write(`${CLEAR_LINE}${printable(text).slice(0, width)}`);
		this.#drawn = text !== "";
	}

	bold(text: string): string {
		return this.#colours ? `\x1b[1m${text}\x1b[22m` : text;
	}

	faint(text: string): string {
		return this.#colours ? `\x1b[2m${text}\x1b[22m` : text;
	}

	green(text: string): string {
		return this.#colours ? `\x1b[32m${text}\x1b[39m` : text;
	}
}
