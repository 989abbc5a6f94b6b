/**
 * An original to read on a terminal: wrapped, by pages, with a search for plain text. It draws and reads keys.
 */

import type { KeybindingsManager } from "@earendil-works/pi-coding-agent";
import type { TUI } from "@earendil-works/pi-tui";
import type { Component, Host, Theme } from "../host.ts";

type Keys = Pick<KeybindingsManager, "matches">;
type Screen = Pick<TUI, "requestRender" | "terminal">;

/** Rows around the text: its title and the line of keys, and what Pi keeps for itself. */
const ROWS_AROUND = 8;
const LEAST_ROWS = 3;

/** Units of a text that are wrapped: what is beyond them is fetched by recall, not read on a screen. */
const MOST_UNITS = 2_000_000;

export class Pager implements Component {
	readonly #title: string;
	readonly #text: string;
	readonly #screen: Screen;
	readonly #theme: Theme;
	readonly #keys: Keys;
	readonly #host: Host;
	readonly #done: () => void;
	#top = 0;
	/** What is looked for, in lower case, and whether it is being typed. */
	#wanted = "";
	#isTyping = false;
	/** What is said in place of the keys. */
	#note = "";
	#wrapped: { width: number; rows: string[] } | undefined;

	/** `text` without control characters that a terminal obeys. */
	constructor(title: string, text: string, host: Host, [screen, theme, keys, done]: [Screen, Theme, Keys, () => void]) {
		this.#title = title;
		this.#text = text.slice(0, MOST_UNITS);
		this.#host = host;
		[this.#screen, this.#theme, this.#keys, this.#done] = [screen, theme, keys, done];
	}

	#rows(width: number): string[] {
		if (this.#wrapped?.width !== width) {
			const rows = this.#text.split("\n").flatMap((line) => this.#host.tui.wrapTextWithAnsi(line, width));
			this.#wrapped = { width, rows };
		}
		return this.#wrapped.rows;
	}

	render(width: number): string[] {
		const { truncateToWidth } = this.#host.tui;
		const all = this.#rows(Math.max(1, width - 1));
		const rows = this.#height;
		this.#top = Math.max(0, Math.min(this.#top, all.length - rows));
		const shown = all.slice(this.#top, this.#top + rows);
		return [
			this.#theme.bold(` ${this.#title}`),
			...shown.map((line) => ` ${this.#holds(line) ? this.#theme.fg("accent", line) : line}`),
			this.#theme.fg("dim", ` ${this.#footer(shown.length, all.length)}`),
		].map((line) => truncateToWidth(line, width));
	}

	#footer(shown: number, all: number): string {
		if (this.#isTyping) return `/${this.#wanted}▏`;
		const place = `${Math.min(this.#top + 1, all)}-${this.#top + shown} of ${all} rows`;
		return `${place} · ${this.#note || "↑↓ page home end · / to search, n N for more · esc to leave"}`;
	}

	get #height(): number {
		return Math.max(LEAST_ROWS, this.#screen.terminal.rows - ROWS_AROUND);
	}

	#holds(row: string): boolean {
		return this.#wanted !== "" && row.toLowerCase().includes(this.#wanted);
	}

	handleInput(data: string): void {
		this.#note = "";
		if (this.#isTyping) this.#type(data);
		else this.#move(data);
		this.#screen.requestRender();
	}

	#type(data: string): void {
		if (this.#keys.matches(data, "tui.select.cancel")) {
			this.#wanted = "";
			this.#isTyping = false;
		} else if (this.#keys.matches(data, "tui.select.confirm")) {
			this.#isTyping = false;
			this.#seek(this.#top, 1);
		} else if (this.#keys.matches(data, "tui.editor.deleteCharBackward")) this.#wanted = this.#wanted.slice(0, -1);
		else this.#wanted += this.#typed(data).toLowerCase();
	}

	#move(data: string): void {
		const is = (key: Parameters<Keys["matches"]>[1]) => this.#keys.matches(data, key);
		const key = this.#typed(data);
		if (is("tui.select.cancel") || is("tui.select.confirm") || key === "q") this.#done();
		else if (is("tui.select.up")) this.#top -= 1;
		else if (is("tui.select.down")) this.#top += 1;
		else if (is("tui.select.pageUp")) this.#top -= this.#height;
		else if (is("tui.select.pageDown") || key === " ") this.#top += this.#height;
		else if (this.#host.tui.matchesKey(data, "home") || key === "g") this.#top = 0;
		else if (this.#host.tui.matchesKey(data, "end") || key === "G") this.#top = Number.MAX_SAFE_INTEGER;
		else if (key === "n") this.#seek(this.#top + 1, 1);
		else if (key === "N") this.#seek(this.#top - 1, -1);
		else if (key === "/") {
			this.#wanted = "";
			this.#isTyping = true;
		}
	}

	#typed(data: string): string {
		return this.#host.tui.decodeKittyPrintable(data) ?? (/^[^\p{Cc}]+$/u.test(data) ? data : "");
	}

	/** Goes to the next row that holds what is wanted, from `at` on. */
	#seek(at: number, step: 1 | -1): void {
		const rows = this.#wrapped?.rows ?? [];
		if (this.#wanted === "") return;
		let row = at;
		while (row >= 0 && row < rows.length && !this.#holds(rows[row] ?? "")) row += step;
		if (row >= 0 && row < rows.length) this.#top = row;
		else this.#note = `no ${at > 0 && step > 0 ? "further " : step < 0 ? "earlier " : ""}row holds "${this.#wanted}"`;
	}

	invalidate(): void {
		this.#wrapped = undefined;
	}
}
