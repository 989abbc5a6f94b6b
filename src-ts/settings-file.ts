/**
 * The user's settings file, read leniently: what is wrong in it is named, and the default stands in its place.
 *
 * Knows which keys there are and what they may hold. Where the file is, and what is in force beside it, is not known here.
 */

import { isRecord } from "./feed.ts";

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
	/** `line`: tell of folds; `quiet`: do not, unless the session chose otherwise. */
	readonly notices?: "line" | "quiet";
	/** `false`: show what looks like a secret where it comes from another session. */
	readonly redact?: boolean;
}

export interface ReadFile {
	readonly settings: FileSettings;
	/** What is wrong, a line each. */
	readonly faults: readonly string[];
}

export type Summaries = "cached" | "uncached" | "off";

/** Tokens of a target. */
const LEAST_TARGET = 1_000;
const LARGEST_TARGET = 10_000_000;
/** Faults that are named: nobody mends more at once. */
const MOST_FAULTS = 5;
/** UTF-16 units of a key in a fault. */
const KEY_UNITS = 60;

/** A reader of one key: the value as it counts, or what it should be. */
type Reader = (value: unknown, path: string, faults: string[]) => unknown;

/** `text` is the file's content, undefined where there is none. */
export function readSettingsFile(text: string | undefined): ReadFile {
	const faults: string[] = [];
	const none: FileSettings = { models: new Map() };
	if (text === undefined) return { settings: none, faults };
	let content: unknown;
	try {
		content = JSON.parse(text);
	} catch {
		return { settings: none, faults: ["is no JSON"] };
	}
	if (!isRecord(content)) return { settings: none, faults: ["is no JSON object"] };
	const settings = { ...none, ...readKeys(content, KEYS, "", faults) };
	const shown = faults.slice(0, MOST_FAULTS);
	if (faults.length > shown.length) shown.push(`and ${faults.length - shown.length} more`);
	return { settings, faults: shown };
}

const target: Reader = (value, path, faults) => {
	const fits = typeof value === "number" && value >= LEAST_TARGET && value <= LARGEST_TARGET;
	if (!fits) faults.push(`${path} must be a number from ${LEAST_TARGET} to ${LARGEST_TARGET}`);
	return fits ? Math.floor(value) : undefined;
};

function oneOf(...names: string[]): Reader {
	return (value, path, faults) => {
		if (names.includes(value as string)) return value;
		faults.push(`${path} must be ${names.map((name) => `"${name}"`).join(" or ")}`);
		return undefined;
	};
}

const flag: Reader = (value, path, faults) => {
	if (typeof value === "boolean") return value;
	faults.push(`${path} must be true or false`);
	return undefined;
};

const cacheRetention = oneOf("short", "long", "none");
const MODEL_KEYS: Record<string, Reader> = { target, cacheRetention };

const models: Reader = (value, path, faults) => {
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
};

const KEYS: Record<string, Reader> = {
	target,
	cacheRetention,
	models,
	summaries: oneOf("cached", "uncached", "off"),
	notices: oneOf("line", "quiet"),
	redact: flag,
};

function readKeys(
	content: Record<string, unknown>,
	readers: Record<string, Reader>,
	path: string,
	faults: string[],
): Record<string, never> {
	const read: Record<string, unknown> = {};
	for (const [key, value] of Object.entries(content)) {
		const reader = Object.hasOwn(readers, key) ? readers[key] : undefined;
		if (!reader) {
			faults.push(`${path}${shown(key)} is no setting`);
			continue;
		}
		const taken = reader(value, `${path}${key}`, faults);
		if (taken !== undefined) read[key] = taken;
	}
	return read as Record<string, never>;
}

/** A key as it may stand in a line. */
function shown(key: string): string {
	const plain = JSON.stringify(key.slice(0, KEY_UNITS)).slice(1, -1).toWellFormed();
	return key.length > KEY_UNITS ? `${plain}…` : plain;
}
