/**
 * The list of `/zip folds` on a terminal, filtered as one types. It draws and reads keys; what is done with the choice is
 * not known here.
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

/** Where somebody is in the list: it is the same when they come back to it. */
export interface Place {
	filter: string;
	/** Index among the lines that the filter leaves. */
	at: number;
}

export class Picker<T extends Line> implements Component {
	readonly #title: string;
	readonly #items: readonly T[];
	readonly #screen: Screen;
	readonly #theme: Theme;
	readonly #keys: Keys;
	readonly #host: Host;
	readonly #done: (item: T | undefined) => void;
	readonly #place: Place;

	constructor(
		title: string,
		items: readonly T[],
		place: Place,
		host: Host,
		[screen, theme, keys, done]: [Screen, Theme, Keys, (item: T | undefined) => void],
	) {
		this.#title = title;
		this.#items = items;
		this.#place = place;
		this.#host = host;
		[this.#screen, this.#theme, this.#keys, this.#done] = [screen, theme, keys, done];
	}

	#shown(): readonly T[] {
		const words = this.#place.filter.toLowerCase().split(/\s+/).filter(Boolean);
		return this.#items.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)));
	}

	render(width: number): string[] {
		const { truncateToWidth, replaceControlCharacters } = this.#host.tui;
		const shown = this.#shown();
		const rows = rowsOf(this.#screen);
		const { filter } = this.#place;
		// What was there may be gone.
		const at = Math.min(this.#place.at, Math.max(0, shown.length - 1));
		this.#place.at = at;
		const first = Math.max(0, Math.min(at - Math.floor(rows / 2), shown.length - rows));
		const lines = [
			this.#theme.bold(` ${this.#title}`),
			` ${this.#theme.fg("muted", "filter:")} ${filter}${this.#theme.fg("accent", "▏")}`,
		];
		for (const [index, item] of shown.slice(first, first + rows).entries()) {
			const isAt = first + index === at;
			const text = `${isAt ? "→ " : "  "}${replaceControlCharacters(item.label)}`;
			lines.push(isAt ? this.#theme.fg("accent", text) : text);
		}
		if (shown.length === 0) lines.push(this.#theme.fg("muted", "  nothing of that kind"));
		const place = shown.length > 0 ? `${at + 1} of ${shown.length} · ` : "";
		lines.push(
			this.#theme.fg(
				"dim",
				` ${place}type to filter, ↑↓ to move, enter to choose, esc to ${filter ? "clear" : "leave"}`,
			),
		);
		return lines.map((line) => truncateToWidth(line, width));
	}

	handleInput(data: string): void {
		const shown = this.#shown();
		const last = Math.max(0, shown.length - 1);
		const to = (at: number) => {
			this.#place.at = Math.max(0, Math.min(at, last));
		};
		if (this.#keys.matches(data, "tui.select.cancel")) {
			if (this.#place.filter === "") this.#done(undefined);
			else this.#filterBy("");
		} else if (this.#keys.matches(data, "tui.select.confirm")) {
			const item = shown[this.#place.at];
			if (item) this.#done(item);
		} else if (this.#keys.matches(data, "tui.select.up")) to(this.#place.at - 1);
		else if (this.#keys.matches(data, "tui.select.down")) to(this.#place.at + 1);
		else if (this.#keys.matches(data, "tui.select.pageUp")) to(this.#place.at - rowsOf(this.#screen));
		else if (this.#keys.matches(data, "tui.select.pageDown")) to(this.#place.at + rowsOf(this.#screen));
		else if (this.#keys.matches(data, "tui.editor.deleteCharBackward")) this.#filterBy(this.#place.filter.slice(0, -1));
		else {
			const typed = this.#host.tui.decodeKittyPrintable(data) ?? (/^[^\p{Cc}]+$/u.test(data) ? data : "");
			if (typed !== "") this.#filterBy(this.#place.filter + typed);
		}
		this.#screen.requestRender();
	}

	#filterBy(filter: string): void {
		this.#place.filter = filter;
		this.#place.at = 0;
	}

	invalidate(): void {}
}

function rowsOf({ terminal }: Screen): number {
	return Math.max(LEAST_ROWS, Math.min(MOST_ROWS, terminal.rows - ROWS_AROUND));
}
