/**
 * `/zip settings`: lists the settings and changes them, by Pi's own list on a terminal and by its dialogs elsewhere. What a
 * change does is not known here.
 */

import { count } from "../format.ts";
import type { Component, ExtensionCommandContext, Host, Theme } from "../host.ts";
import { expected, fitting, SETTINGS_FILE } from "../settings-file.ts";
import { KEYS, type Key, MODEL_KEYS, type Value } from "./keys.ts";
import type { SettingsStore } from "./store.ts";

type Simple = Exclude<Value, { kind: "byModel" }>;

interface Row {
	/** Its place in the file, and as it is named. */
	readonly path: readonly string[];
	readonly label: string;
	readonly what: string;
	readonly value: Simple;
	/** As it is shown where nothing is set. */
	readonly unset: string;
	readonly current: string;
}

const UNSET = "unset";
/** Rows of the list at once. */
const MOST_ROWS = 14;
/** Models that are listed with settings of their own, the one in use first. */
const MOST_MODELS = 20;

/** Lists and changes until the user leaves; what to say of it, in lines. */
export async function settingsDialog(
	store: SettingsStore,
	host: Host,
	ctx: ExtensionCommandContext,
): Promise<string[]> {
	store.reload();
	const model = ctx.model && `${ctx.model.provider}/${ctx.model.id}`;
	const faults = store.faults.map((fault) => `${SETTINGS_FILE}: ${fault}`);
	if (!ctx.hasUI) return ["pi-zip · settings", ...rowsOf(store, model).map(line), ...faults];
	const before = rowsOf(store, model);
	if (ctx.mode === "tui") {
		await ctx.ui.custom<void>((screen, theme, _keys, done) => {
			return new SettingsScreen({ store, model, host, theme, done, draw: () => screen.requestRender() });
		});
	} else await ask(store, model, ctx);
	const after = rowsOf(store, model);
	const changes = after.filter(({ current }, index) => current !== before[index]?.current);
	if (changes.length === 0) return [];
	const names = changes.map(({ label, current }) => `${label} ${current}`).join(", ");
	const backup = store.isBackedUp ? `. Before that: ${SETTINGS_FILE}.bak` : "";
	return [`pi-zip · ${count(changes.length, "setting")} changed: ${names}${backup}`];
}

function rowsOf(store: SettingsStore, model: string | undefined): Row[] {
	const { file } = store;
	const rows: Row[] = [];
	const add = (path: readonly string[], label: string, key: Key, set: unknown, unset: string, of = "") => {
		if (key.value.kind === "byModel") return;
		rows.push({
			path,
			label,
			what: `${key.what}${of}${unset === UNSET ? "" : ` Default: ${unset}.`}`,
			value: key.value,
			unset,
			current: set === undefined ? unset : written(set),
		});
	};
	for (const [name, key] of Object.entries(KEYS)) {
		add([name], name, key, file[name as keyof typeof KEYS], key.default === undefined ? UNSET : written(key.default));
	}
	const models = [...new Set([...(model === undefined ? [] : [model]), ...file.models.keys()])].slice(0, MOST_MODELS);
	for (const one of models) {
		for (const [name, key] of Object.entries(MODEL_KEYS)) {
			const set = file.models.get(one)?.[name as keyof typeof MODEL_KEYS & ("target" | "cacheRetention")];
			add(["models", one, name], `${name} of ${one}`, key, set, UNSET, " For this model alone.");
		}
	}
	return rows;
}

function written(value: unknown): string {
	if (Array.isArray(value)) return value.length === 0 ? NONE : value.join(", ");
	return String(value);
}

const NONE = "the model in use";

function line({ label, current }: Row): string {
	return `${label}: ${current}`;
}

/** What may be chosen for a row; undefined where it is typed. */
function choices({ value, unset }: Row): string[] | undefined {
	const names = value.kind === "choice" ? value.names : value.kind === "flag" ? ["true", "false"] : undefined;
	return names && (unset === UNSET ? [UNSET, ...names] : [...names]);
}

/** What was typed or chosen, as it stands in the file; empty or unset takes the setting away. */
function parsed({ value }: Row, text: string): { value: unknown } | { refusal: string } {
	const bare = text.trim();
	if (bare === "" || bare === UNSET || bare === NONE) return { value: undefined };
	const raw: unknown =
		value.kind === "number"
			? Number(bare.replaceAll("_", ""))
			: value.kind === "flag"
				? bare === "true"
				: value.kind === "models"
					? bare.split(/[\s,]+/).filter(Boolean)
					: bare;
	const taken = fitting(value, raw);
	return taken === undefined ? { refusal: `must be ${expected(value)}` } : { value: taken };
}

interface Screen {
	readonly store: SettingsStore;
	readonly model: string | undefined;
	readonly host: Host;
	readonly theme: Theme;
	done(): void;
	draw(): void;
}

/** Pi's list of settings, with what went wrong below it. */
class SettingsScreen implements Component {
	readonly capturesViewportInput = true;
	readonly #screen: Screen;
	readonly #list: Component & { updateValue(id: string, value: string): void };
	#said = "";

	constructor(screen: Screen) {
		this.#screen = screen;
		const { host, store, model } = screen;
		const items = rowsOf(store, model).map((row) => {
			const values = choices(row);
			const item = { id: row.label, label: row.label, description: row.what, currentValue: row.current };
			if (values) return { ...item, values };
			return {
				...item,
				submenu: (current: string, close: (value?: string) => void) =>
					new Prompt(row, current === NONE ? "" : current, screen, close),
			};
		});
		this.#list = new host.tui.SettingsList(
			items,
			MOST_ROWS,
			host.pi.getSettingsListTheme(),
			(id, value) => this.#change(id, value),
			() => screen.done(),
		);
	}

	#change(label: string, text: string): void {
		const { store, model } = this.#screen;
		const row = rowsOf(store, model).find((one) => one.label === label);
		if (!row) return;
		this.#said = attempt(store, row, text) ?? "";
		for (const one of rowsOf(store, model)) this.#list.updateValue(one.label, one.current);
	}

	render(width: number): string[] {
		const { host, theme, store } = this.#screen;
		const said = this.#said || store.faults.map((fault) => `${SETTINGS_FILE}: ${fault}`).join("; ");
		const lines = [
			theme.bold(" Settings of pi-zip"),
			"",
			...this.#list.render(width),
			...(said ? [` ${theme.fg("warning", host.tui.replaceControlCharacters(said))}`] : []),
		];
		return lines.map((one) => host.tui.truncateToWidth(one, width));
	}

	handleInput(data: string): void {
		this.#list.handleInput?.(data);
		this.#screen.draw();
	}

	invalidate(): void {
		this.#list.invalidate();
	}
}

/** A value that is typed. */
class Prompt implements Component {
	readonly #row: Row;
	readonly #screen: Screen;
	readonly #input: InstanceType<Host["tui"]["Input"]>;
	#refusal = "";

	constructor(row: Row, current: string, screen: Screen, close: (value?: string) => void) {
		this.#row = row;
		this.#screen = screen;
		this.#input = new screen.host.tui.Input();
		this.#input.focused = true;
		// Typed rather than set, so that the cursor stands behind it.
		if (current !== UNSET) for (const letter of current) this.#input.handleInput(letter);
		this.#input.onEscape = () => close();
		this.#input.onSubmit = (text) => {
			const read = parsed(row, text);
			if ("refusal" in read) this.#refusal = read.refusal;
			else close(text.trim() || row.unset);
		};
	}

	render(width: number): string[] {
		const { theme, host } = this.#screen;
		const hint = " Enter to set, empty for the default, Esc to leave it";
		return [
			` ${theme.fg("accent", this.#row.label)}`,
			...host.tui.wrapTextWithAnsi(theme.fg("muted", ` ${this.#row.what}`), width),
			...this.#input.render(width),
			...(this.#refusal ? [theme.fg("warning", ` ${this.#refusal}`)] : []),
			theme.fg("dim", hint),
		];
	}

	handleInput(data: string): void {
		this.#refusal = "";
		this.#input.handleInput(data);
	}

	invalidate(): void {
		this.#input.invalidate();
	}
}

/** Changes a setting; what is wrong, where it could not be. */
function attempt(store: SettingsStore, row: Row, text: string): string | undefined {
	const read = text === row.unset ? { value: undefined } : parsed(row, text);
	if ("refusal" in read) return `${row.label} ${read.refusal}`;
	try {
		store.change(row.path, read.value);
		return undefined;
	} catch (error) {
		return `${SETTINGS_FILE} ${error instanceof Error ? error.message : String(error)}`;
	}
}

/** The same by Pi's dialogs, where there is no terminal. */
async function ask(store: SettingsStore, model: string | undefined, ctx: ExtensionCommandContext): Promise<void> {
	for (;;) {
		const rows = rowsOf(store, model);
		const chosen = await ctx.ui.select("Settings of pi-zip", rows.map(line));
		const row = rows.find((one) => line(one) === chosen);
		if (!row) return;
		const values = choices(row);
		const text = values ? await ctx.ui.select(row.what, values) : await ctx.ui.input(row.what, row.current);
		if (text === undefined) continue;
		const refusal = attempt(store, row, text);
		if (refusal !== undefined) ctx.ui.notify(refusal, "warning");
	}
}
