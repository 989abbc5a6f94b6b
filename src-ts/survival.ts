/**
 * What returns have taught, kept in a file of the agent's folder for all sessions and processes: how long caches live, as
 * counts by provider, model, retention tier and bin of gaps; how long the user stays away, as counts by bin; and how many
 * requests there are before the cache is lost. Nothing else.
 *
 * The numbers are the core's: here they are kept, and handed back. Whatever is wrong with the file, pi-zip goes on with
 * what this process has seen. A file of a newer version is left alone.
 */

import { isRecord } from "./content.ts";
import { oldCounts } from "./survival-0.2.ts";

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

/** What is left of the counts of the user's returns at each further one, so that about a hundred count. */
const FADED = 0.99;
/** The same of warm stretches, so that about thirty count; and the longest, so that one alone does not say it all. */
const STRETCH_FADED = 0.97;
const LONGEST_STRETCH = 300;
/** Name of the bin of returns that never came: the session was ended instead. */
const NEVER = "never";

/** Warm stretches, and the requests in all of them. Older ones fade. */
export type Stretches = readonly [count: number, requests: number];

interface Contents {
	table: Table;
	/** How often the user came back after a gap, by bin; the last one counts how often not at all. */
	returns: number[];
	stretches: Stretches;
	/** Written by a later pi-zip, which is the one to write it. */
	readonly newer: boolean;
}

export class Survivals {
	readonly #file: SharedFile;
	readonly #learner: Learner;
	#edges: number[] | undefined;
	/** What the file held when it was last read. */
	#text: string | undefined;
	#known: Contents = { table: new Map(), returns: [], stretches: [0, 0], newer: false };
	/** Not in the file yet. */
	#pending: ((contents: Contents) => void)[] = [];

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
		const contents = this.#parse(text);
		if (contents.newer) return;
		this.#text = text;
		this.#known = contents;
		for (const change of this.#pending) change(contents);
	}

	/** Numbers for the core; empty where nothing was learned. */
	of(key: CacheKey): number[] {
		return this.#known.table.get(nameOf(key)) ?? [];
	}

	/** How often the user came back, by bin; empty where nothing is known. */
	get returns(): readonly number[] {
		return this.#known.returns;
	}

	get stretches(): Stretches {
		return this.#known.stretches;
	}

	/** Takes note of an observation, here and in the file. */
	record(key: CacheKey, observation: ArrayLike<number>): void {
		const name = nameOf(key);
		this.#change(({ table }) => {
			table.set(name, Array.from(this.#learner.observe(table.get(name) ?? [], observation)));
		});
	}

	/** Takes note that the user came back after `gap` milliseconds, or, where it is infinite, did not. */
	recordReturn(gap: number): void {
		const bins = this.#bins();
		const bin = gap === Number.POSITIVE_INFINITY ? bins.length : bins.filter((edge) => edge <= gap / 1000).length - 1;
		if (bin < 0) return;
		this.#change((contents) => {
			contents.returns = [...bins, NEVER].map((_, index) => {
				return (contents.returns[index] ?? 0) * FADED + (index === bin ? 1 : 0);
			});
		});
	}

	/**
	 * Takes note of a warm stretch that has ended. Most end with their session: the module is not started for it again, so
	 * none is kept before a return has taught something, here or in an earlier session.
	 */
	recordStretch(requests: number): void {
		if (this.#edges === undefined) return;
		this.#change((contents) => {
			const [count, all] = contents.stretches;
			contents.stretches = [count * STRETCH_FADED + 1, all * STRETCH_FADED + Math.min(requests, LONGEST_STRETCH)];
		});
	}

	#change(change: (contents: Contents) => void): void {
		change(this.#known);
		this.#pending.push(change);
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
				for (const change of this.#pending) change(written);
				text = this.#format(written);
				return text;
			});
			if (!done || !written) return;
			this.#pending = [];
			if (written.newer) return;
			this.#known = written;
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

	/** Names of the bins: where they begin, in seconds. */
	#bins(): number[] {
		this.#edges ??= Array.from(this.#learner.edges(), (edge) => edge / 1000);
		return this.#edges;
	}

	#parse(text: string | undefined): Contents {
		const table: Table = new Map();
		const contents: Contents = { table, returns: [], stretches: [0, 0], newer: false };
		const content = json(text);
		if (!isRecord(content)) return contents;
		if (typeof content.version === "number" && content.version > VERSION) return { ...contents, newer: true };
		if (content.version !== VERSION) return this.#takenOver(content, contents);
		for (const [provider, models] of entriesOf(content.caches)) {
			for (const [model, tiers] of entriesOf(models)) {
				for (const tier of ["short", "long"] as const) {
					const counts = this.#counts(isRecord(tiers) ? tiers[tier] : undefined);
					if (counts.some((count) => count > 0)) table.set(nameOf({ provider, model, tier }), counts);
				}
			}
		}
		const { returns } = content;
		if (isRecord(returns)) {
			contents.returns = [...this.#bins(), NEVER].map((bin) => (isCount(returns[bin]) ? Number(returns[bin]) : 0));
		}
		const [count, requests] = Array.isArray(content.stretches) ? content.stretches : [];
		if (isCount(count) && isCount(requests)) contents.stretches = [count, requests];
		return contents;
	}

	/** The counts of a file of 0.2, as far as they are understood. */
	#takenOver(content: unknown, contents: Contents): Contents {
		for (const { provider, model, bin, lived, count } of oldCounts(content)) {
			const name = nameOf({ provider, model, tier: "short" });
			const counts = contents.table.get(name) ?? this.#counts(undefined);
			const at = NUMBERS_A_BIN * this.#bins().indexOf(bin);
			for (const number of [at + (lived ? 0 : 1), at + 2]) counts[number] = (counts[number] ?? 0) + count;
			contents.table.set(name, counts);
		}
		return contents;
	}

	#counts(bins: unknown): number[] {
		return this.#bins().flatMap((bin) => {
			const counts = isRecord(bins) ? bins[String(bin)] : undefined;
			const sound = Array.isArray(counts) && counts.length === NUMBERS_A_BIN && counts.every(isCount);
			return sound ? (counts as number[]) : [0, 0, 0];
		});
	}

	#format({ table, returns, stretches }: Contents): string {
		const caches: { [provider: string]: { [model: string]: { [tier: string]: { [bin: string]: number[] } } } } =
			Object.create(null);
		for (const [name, counts] of table) {
			const [provider, model, tier] = JSON.parse(name) as [string, string, Tier];
			const bins: { [bin: string]: number[] } = {};
			for (const [index, bin] of this.#bins().entries()) {
				const own = counts.slice(index * NUMBERS_A_BIN, (index + 1) * NUMBERS_A_BIN);
				if (own.some((count) => count > 0)) bins[bin] = own.map(rounded);
			}
			caches[provider] ??= Object.create(null);
			const models = caches[provider]!;
			models[model] ??= Object.create(null);
			models[model]![tier] = bins;
		}
		const came = [...this.#bins(), NEVER].map((bin, index) => [bin, rounded(returns[index] ?? 0)] as const);
		const content = {
			version: VERSION,
			caches,
			returns: Object.fromEntries(came.filter(([, count]) => count > 0)),
			...(stretches[0] > 0 ? { stretches: stretches.map(rounded) } : {}),
		};
		return `${JSON.stringify(content, null, "\t")}\n`;
	}
}

function rounded(count: number): number {
	return Math.round(count * DECIMALS) / DECIMALS;
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

function isCount(value: unknown): value is number {
	return typeof value === "number" && value >= 0 && Number.isFinite(value);
}
