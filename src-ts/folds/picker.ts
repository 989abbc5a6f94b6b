/**
 * The list of `/zip folds` on a terminal, filtered as one types, and the pager that shows an original. They draw and
 * read keys; what is done with the choice is not known here.
 */

import type { KeybindingsManager } from "@earendil-works/pi-coding-agent";
import type { TUI } from "@earendil-works/pi-tui";
import type { Component, Host, Theme } from "../host.ts";

type Keys = Pick<KeybindingsManager, "matches">;
type Screen = Pick<TUI, "requestRender" | "terminal">;

/** Rows that Pi keeps for itself around a component. */
const ROWS_AROUND = 8;
const MOST_ROWS = 20;
const LEAST_ROWS = 3;

interface Line {
	readonly label: string;
}

export class Picker<T extends Line> implements Component {
	readonly #title: string;
	readonly #items: readonly T[];
	readonly #screen: Screen;
	readonly #theme: Theme;
	readonly #keys: Keys;
	readonly #host: Host;
	readonly #done: (item: T | undefined) => void;
	#filter = "";
	#at = 0;

	constructor(
		title: string,
		items: readonly T[],
		host: Host,
		[screen, theme, keys, done]: [Screen, Theme, Keys, (item: T | undefined) => void],
	) {
		this.#title = title;
		this.#items = items;
		this.#host = host;
		[this.#screen, this.#theme, this.#keys, this.#done] = [screen, theme, keys, done];
	}

	#shown(): readonly T[] {
		const words = this.#filter.toLowerCase().split(/\s+/).filter(Boolean);
		return this.#items.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)));
	}

	render(width: number): string[] {
		const { truncateToWidth, replaceControlCharacters } = this.#host.tui;
		const shown = this.#shown();
		const rows = rowsOf(this.#screen);
		const first = Math.max(0, Math.min(this.#at - Math.floor(rows / 2), shown.length - rows));
		const lines = [
			this.#theme.bold(` ${this.#title}`),
			` ${this.#theme.fg("muted", "filter:")} ${this.#filter}${this.#theme.fg("accent", "▏")}`,
		];
		for (const [index, item] of shown.slice(first, first + rows).entries()) {
			const isAt = first + index === this.#at;
			const text = `${isAt ? "→ " : "  "}${replaceControlCharacters(item.label)}`;
			lines.push(isAt ? this.#theme.fg("accent", text) : text);
		}
		if (shown.length === 0) lines.push(this.#theme.fg("muted", "  nothing of that kind"));
		const place = shown.length > 0 ? `${this.#at + 1} of ${shown.length} · ` : "";
		lines.push(this.#theme.fg("dim", ` ${place}type to filter, ↑↓ to move, enter to choose, esc to leave`));
		return lines.map((line) => truncateToWidth(line, width));
	}

	handleInput(data: string): void {
		const shown = this.#shown();
		const last = Math.max(0, shown.length - 1);
		const to = (at: number) => {
			this.#at = Math.max(0, Math.min(at, last));
		};
		if (this.#keys.matches(data, "tui.select.cancel")) this.#done(undefined);
		else if (this.#keys.matches(data, "tui.select.confirm")) {
			const item = shown[this.#at];
			if (item) this.#done(item);
		} else if (this.#keys.matches(data, "tui.select.up")) to(this.#at - 1);
		else if (this.#keys.matches(data, "tui.select.down")) to(this.#at + 1);
		else if (this.#keys.matches(data, "tui.select.pageUp")) to(this.#at - rowsOf(this.#screen));
		else if (this.#keys.matches(data, "tui.select.pageDown")) to(this.#at + rowsOf(this.#screen));
		else if (this.#keys.matches(data, "tui.editor.deleteCharBackward")) this.#filterBy(this.#filter.slice(0, -1));
		else {
			const typed = this.#host.tui.decodeKittyPrintable(data) ?? (/^[^\p{Cc}]+$/u.test(data) ? data : "");
			if (typed !== "") this.#filterBy(this.#filter + typed);
		}
		this.#screen.requestRender();
	}

	#filterBy(filter: string): void {
		this.#filter = filter;
		this.#at = 0;
	}

	invalidate(): void {}
}

/** Units of a text that the pager wraps: what is beyond them is fetched by recall, not read on a screen. */
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
		const rows = rowsOf(this.#screen);
		this.#top = Math.max(0, Math.min(this.#top, all.length - rows));
		const shown = all.slice(this.#top, this.#top + rows);
		const place = `${Math.min(this.#top + 1, all.length)}-${this.#top + shown.length} of ${all.length} rows`;
		return [
			this.#theme.bold(` ${this.#title}`),
			...shown.map((line) => ` ${line}`),
			this.#theme.fg("dim", ` ${place} · ↑↓ and page keys to move, esc to leave`),
		].map((line) => truncateToWidth(line, width));
	}

	handleInput(data: string): void {
		const page = rowsOf(this.#screen);
		if (this.#keys.matches(data, "tui.select.cancel") || this.#keys.matches(data, "tui.select.confirm") || data === "q")
			this.#done();
		else if (this.#keys.matches(data, "tui.select.up")) this.#top -= 1;
		else if (this.#keys.matches(data, "tui.select.down")) this.#top += 1;
		else if (this.#keys.matches(data, "tui.select.pageUp")) this.#top -= page;
		else if (this.#keys.matches(data, "tui.select.pageDown") || data === " ") this.#top += page;
		this.#screen.requestRender();
	}

	invalidate(): void {
		this.#wrapped = undefined;
	}
}

function rowsOf({ terminal }: Screen): number {
	return Math.max(LEAST_ROWS, Math.min(MOST_ROWS, terminal.rows - ROWS_AROUND));
}
