/**
 * What returns have taught about caches, kept in a file of the agent's folder for all sessions and processes: counts by
 * provider, model, retention tier and bin of gaps, nothing else.
 *
 * The numbers are the core's: here they are kept, and handed back. Whatever is wrong with the file, pi-zip goes on with
 * what this process has seen. A file of a newer version is left alone.
 */

import { isRecord } from "./feed.ts";

/** In the agent's folder. */
export const LEARNED_FILE = ["pi-zip", "cache-survival.json"];

export type Tier = "short" | "long";

/** Whose cache: the model that answered, and the tier that its prompts are written in. */
export interface CacheKey {
	readonly provider: string;
	readonly model: string;
	readonly tier: Tier;
}

/** What the core makes of counts; both are its numbers. */
export interface Learner {
	/** Where the bins begin, in milliseconds. */
	edges(): ArrayLike<number>;
	observe(counts: number[], observation: ArrayLike<number>): ArrayLike<number>;
}

/** A file that is changed as a whole. */
export interface SharedFile {
	read(): string | undefined;
	/** Gives `change` what the file holds, and writes what comes back. False where another process is at it just now. */
	update(change: (text: string | undefined) => string | undefined): boolean;
}

/** Of the file's form. Files without a version, or of a lower one, are those of 0.2. */
const VERSION = 3;

/** Numbers of a bin: how many lived, how many were gone, and how many were seen of both. */
const NUMBERS_A_BIN = 3;

/** Decimals that are kept of a fading count. */
const DECIMALS = 1e4;

/** Counts by provider, model and tier. */
type Table = Map<string, number[]>;

interface Contents {
	readonly table: Table;
	/** Written by a later pi-zip, which is the one to write it. */
	readonly newer: boolean;
}

export class Survivals {
	readonly #file: SharedFile;
	readonly #learner: Learner;
	#edges: number[] | undefined;
	/** What the file held when it was last read. */
	#text: string | undefined;
	#table: Table = new Map();
	/** Not in the file yet. */
	#pending: { key: CacheKey; observation: ArrayLike<number> }[] = [];

	constructor(file: SharedFile, learner: Learner) {
		this.#file = file;
		this.#learner = learner;
	}

	/** Whether something is not in the file yet, and may get there. */
	get unwritten(): boolean {
		return this.#pending.length > 0;
	}

	/** Takes in what other processes have learned since. */
	refresh(): void {
		const text = this.#guarded(() => this.#file.read());
		if (text === undefined || text === this.#text) return;
		const { table, newer } = this.#parse(text);
		if (newer) return;
		this.#text = text;
		this.#table = table;
		for (const { key, observation } of this.#pending) this.#observe(this.#table, key, observation);
	}

	/** Numbers for the core; empty where nothing was learned. */
	of(key: CacheKey): number[] {
		return this.#table.get(nameOf(key)) ?? [];
	}

	/** Takes note of an observation, here and in the file. */
	record(key: CacheKey, observation: ArrayLike<number>): void {
		this.#observe(this.#table, key, observation);
		this.#pending.push({ key, observation });
		this.write();
	}

	/** Writes what is not in the file yet, unless another process is at it. */
	write(): void {
		if (!this.unwritten) return;
		// Asked for outside of what a disk may refuse.
		this.#bins();
		this.#guarded(() => {
			let written: Contents | undefined;
			let text: string | undefined;
			const done = this.#file.update((before) => {
				written = this.#parse(before);
				if (written.newer) return undefined;
				for (const { key, observation } of this.#pending) this.#observe(written.table, key, observation);
				text = this.#format(written.table);
				return text;
			});
			if (!done || !written) return;
			this.#pending = [];
			if (written.newer) return;
			this.#table = written.table;
			this.#text = text;
		});
	}

	/** A disk that refuses is no error: what was seen counts until the process ends. */
	#guarded<T>(use: () => T): T | undefined {
		try {
			return use();
		} catch {
			this.#pending = [];
			return undefined;
		}
	}

	#observe(table: Table, key: CacheKey, observation: ArrayLike<number>): void {
		const name = nameOf(key);
		table.set(name, Array.from(this.#learner.observe(table.get(name) ?? [], observation)));
	}

	/** Names of the bins: where they begin, in seconds. */
	#bins(): number[] {
		this.#edges ??= Array.from(this.#learner.edges(), (edge) => edge / 1000);
		return this.#edges;
	}

	#parse(text: string | undefined): Contents {
		const table: Table = new Map();
		const content = json(text);
		if (!isRecord(content)) return { table, newer: false };
		if (typeof content.version === "number" && content.version > VERSION) return { table, newer: true };
		if (content.version !== VERSION) return { table, newer: false };
		for (const [provider, models] of entriesOf(content.caches)) {
			for (const [model, tiers] of entriesOf(models)) {
				for (const tier of ["short", "long"] as const) {
					const counts = this.#counts(isRecord(tiers) ? tiers[tier] : undefined);
					if (counts.some((count) => count > 0)) table.set(nameOf({ provider, model, tier }), counts);
				}
			}
		}
		return { table, newer: false };
	}

	#counts(bins: unknown): number[] {
		return this.#bins().flatMap((bin) => {
			const counts = isRecord(bins) ? bins[String(bin)] : undefined;
			const sound = Array.isArray(counts) && counts.length === NUMBERS_A_BIN && counts.every(isCount);
			return sound ? (counts as number[]) : [0, 0, 0];
		});
	}

	#format(table: Table): string {
		const caches: { [provider: string]: { [model: string]: { [tier: string]: { [bin: string]: number[] } } } } =
			Object.create(null);
		for (const [name, counts] of table) {
			const [provider, model, tier] = JSON.parse(name) as [string, string, Tier];
			const bins: { [bin: string]: number[] } = {};
			for (const [index, bin] of this.#bins().entries()) {
				const own = counts.slice(index * NUMBERS_A_BIN, (index + 1) * NUMBERS_A_BIN);
				if (own.some((count) => count > 0)) bins[bin] = own.map((count) => Math.round(count * DECIMALS) / DECIMALS);
			}
			caches[provider] ??= Object.create(null);
			const models = caches[provider]!;
			models[model] ??= Object.create(null);
			models[model]![tier] = bins;
		}
		return `${JSON.stringify({ version: VERSION, caches }, null, "\t")}\n`;
	}
}

function nameOf({ provider, model, tier }: CacheKey): string {
	return JSON.stringify([provider, model, tier]);
}

function json(text: string | undefined): unknown {
	try {
		return text === undefined ? undefined : JSON.parse(text);
	} catch {
		return undefined;
	}
}

function entriesOf(value: unknown): [string, unknown][] {
	return isRecord(value) ? Object.entries(value) : [];
}

function isCount(value: unknown): boolean {
	return typeof value === "number" && value >= 0 && Number.isFinite(value);
}
