/**
 * The user's settings file, read leniently: what is wrong in it is named, and the default stands in its place.
 *
 * Which keys there are and what they may hold is declared in `settings/keys.ts`. Where the file is, and what is in force
 * beside it, is not known here.
 */

import { isRecord } from "./content.ts";
import { KEYS, type Key, MODEL_KEYS, SCHEMA_KEY, type Value } from "./settings/keys.ts";

/** In the agent's folder. */
export const SETTINGS_FILE = "pi-zip.json";

export type Retention = "short" | "long" | "none";

export interface ModelSettings {
	/** The size a cold return folds down to, in tokens. */
	readonly target?: number;
	/** How long the provider is asked to keep its cache, where that is not what Pi's environment says. */
	readonly cacheRetention?: Retention;
}

export interface FileSettings extends ModelSettings {
	/** By `provider/id`. */
	readonly models: ReadonlyMap<string, ModelSettings>;
	/** How a summary is written, or that none is. */
	readonly summaries?: Summaries;
	/** As `provider/id`: who writes summaries and reads originals, tried in order; empty for the model in use. */
	readonly summaryModels?: readonly string[];
	/** `leave`: refreshes of an idle cache are Pi's own affair. */
	readonly warming?: Warming;
	/** `line`: tell of folds; `quiet`: do not, unless the session chose otherwise. */
	readonly notices?: "line" | "quiet";
	/** `false`: show what looks like a secret where it leaves its session. */
	readonly redact?: boolean;
	/** Size from which on a placeholder gets a line on the output's structure, in UTF-16 units. */
	readonly structureFrom?: number;
}

export interface ReadFile {
	readonly settings: FileSettings;
	/** What is wrong, a line each. */
	readonly faults: readonly string[];
}

export type Summaries = "cached" | "uncached" | "off";
export type Warming = "decide" | "leave";

/** Faults that are named: nobody mends more at once. */
const MOST_FAULTS = 5;
/** UTF-16 units of a key in a fault. */
const KEY_UNITS = 60;

/** `text` is the file's content, undefined where there is none. */
export function readSettingsFile(text: string | undefined): ReadFile {
	const faults: string[] = [];
	const none: FileSettings = { models: new Map() };
	if (text === undefined) return { settings: none, faults };
	let content: unknown;
	try {
		content = JSON.parse(withoutMark(text));
	} catch {
		return { settings: none, faults: ["is no JSON"] };
	}
	if (!isRecord(content)) return { settings: none, faults: ["is no JSON object"] };
	const { [SCHEMA_KEY]: _, ...set } = content;
	const settings = { ...none, ...readKeys(set, KEYS, "", faults) };
	const shown = faults.slice(0, MOST_FAULTS);
	if (faults.length > shown.length) shown.push(`and ${faults.length - shown.length} more`);
	return { settings, faults: shown };
}

/** Without the mark that some editors put in front of UTF-8, and that JSON does not know. */
export function withoutMark(text: string): string {
	return text.replace(/^\ufeff/, "");
}

function readKeys(
	content: Record<string, unknown>,
	keys: Readonly<Record<string, Key>>,
	path: string,
	faults: string[],
): Record<string, never> {
	const read: Record<string, unknown> = {};
	for (const [name, value] of Object.entries(content)) {
		const key = Object.hasOwn(keys, name) ? keys[name] : undefined;
		if (!key) {
			faults.push(`${path}${shown(name)} is no setting`);
			continue;
		}
		const taken = readValue(key.value, value, `${path}${name}`, faults);
		if (taken !== undefined) read[name] = taken;
	}
	return read as Record<string, never>;
}

/** The value as it counts; undefined, and a fault, where it is none. */
function readValue(kind: Value, value: unknown, path: string, faults: string[]): unknown {
	if (kind.kind === "byModel") return readModels(value, path, faults);
	const taken = fitting(kind, value);
	if (taken === undefined) faults.push(`${path} must be ${expected(kind)}`);
	return taken;
}

/** A value as it counts; undefined where it is none of its kind. */
export function fitting(kind: Exclude<Value, { kind: "byModel" }>, value: unknown): unknown {
	switch (kind.kind) {
		case "number":
			return typeof value === "number" && value >= kind.least && value <= kind.most ? Math.floor(value) : undefined;
		case "choice":
			return kind.names.includes(value as string) ? value : undefined;
		case "flag":
			return typeof value === "boolean" ? value : undefined;
		case "models":
			return Array.isArray(value) && value.every(isModelName) ? value : undefined;
	}
}

/** What a value must be, as it is told. */
export function expected(kind: Exclude<Value, { kind: "byModel" }>): string {
	switch (kind.kind) {
		case "number":
			return `a number from ${kind.least} to ${kind.most}`;
		case "choice":
			return kind.names.map((name) => `"${name}"`).join(" or ");
		case "flag":
			return "true or false";
		case "models":
			return 'a list of "provider/id"';
	}
}

export const MODEL_NAME = /^[^/\s]+\/\S+$/;

function isModelName(value: unknown): boolean {
	return typeof value === "string" && MODEL_NAME.test(value);
}

function readModels(value: unknown, path: string, faults: string[]): unknown {
	if (!isRecord(value)) {
		faults.push(`${path} must be an object by "provider/id"`);
		return undefined;
	}
	const read = Object.entries(value).flatMap(([name, model]): [string, ModelSettings][] => {
		const place = `${path}.${shown(name)}`;
		if (isRecord(model)) return [[name, readKeys(model, MODEL_KEYS, `${place}.`, faults)]];
		faults.push(`${place} must be an object`);
		return [];
	});
	return new Map(read);
}

/** A key as it may stand in a line. */
function shown(key: string): string {
	const plain = JSON.stringify(key.slice(0, KEY_UNITS)).slice(1, -1).toWellFormed();
	return key.length > KEY_UNITS ? `${plain}…` : plain;
}
