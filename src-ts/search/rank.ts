/**
 * Ranks texts by a query: BM25 over entries, and then over the lines of the best, so that a text ranks by one line that
 * answers rather than by many that mention. Of equals the newest comes first.
 *
 * Works on the texts as they are, without an index: looking for a handful of terms in 57 MB takes less time than a model
 * takes to read the answer. `Ranking.take` is called for each text, so the caller can pause between any two.
 */

import { findTerm, lowered, prefilter, type Term, weightOf } from "./query.ts";

/** BM25's usual constants: how fast repetition saturates, and how much length counts. */
const SATURATION = 1.2;
const LENGTH_SHARE = 0.6;
/** Occurrences of one term in one text that are counted: more change no rank. */
const MOST_COUNTED = 24;
/** Texts whose lines are looked at, beside those that a page needs. */
const POOL = 100;
/** Occurrences of one term in one text whose lines are scored. */
const MOST_PLACES = 200;

/** A text that was searched; later ones are newer. */
export interface Ranked<T> {
	readonly document: T;
	/** The later, the larger. */
	readonly order: number;
	readonly score: number;
	/** One-based numbers and spans of the lines that match, best first. */
	readonly lines: readonly RankedLine[];
}

export interface RankedLine {
	readonly number: number;
	readonly start: number;
	/** Without the line feed. */
	readonly end: number;
	readonly score: number;
	/** Where in the text its first term stands. */
	readonly at: number;
}

/** What is known of all texts: how many there are, their length, and how many hold each term. */
export interface Statistics {
	texts: number;
	units: number;
	readonly found: Uint32Array;
}

export function statisticsOf(terms: readonly Term[]): Statistics {
	return { texts: 0, units: 0, found: new Uint32Array(terms.length) };
}

/** What is said of a failed result by those who ask for it. */
const FAILED = ["fail", "failed", "fails", "failing", "failure", "error", "errors", "broke", "crashed"];
/** Texts behind a failed result that it may be told by: "the command that failed before X". */
const BEHIND = 10;
/** The part that it gets of the rank of what stands right behind it; less of what is farther. */
const SHARE = 0.9;

interface Candidate<T> {
	document: T;
	/** A failed result, where failures are asked for. */
	isFailed: boolean;
	text: string;
	order: number;
	/** Weighted occurrences of each term. */
	counts: Float32Array;
}

/** A text with its rank as an entry. */
export interface Pooled<T> {
	readonly candidate: Candidate<T>;
	readonly score: number;
}

export function compareRanked(one: Ranked<unknown>, other: Ranked<unknown>): number {
	return other.score - one.score || other.order - one.order;
}

export class Ranking<T> {
	readonly #terms: readonly Term[];
	readonly #phrases: readonly Term[];
	readonly #candidates: Candidate<T>[] = [];
	readonly #statistics: Statistics;
	readonly #mayHold: RegExp | undefined;
	/** Terms that a failed result answers to, whether or not it says so. */
	readonly #failed: readonly number[];
	#order = 0;

	/** `statistics` are those of the texts that were searched before, and go on with these. */
	constructor(terms: readonly Term[], statistics = statisticsOf(terms)) {
		this.#terms = terms;
		this.#phrases = terms.filter(({ kind }) => kind === "phrase");
		this.#statistics = statistics;
		this.#failed = [...terms.keys()].filter((index) => FAILED.includes(terms[index]?.text ?? ""));
		this.#mayHold = prefilter(terms);
	}

	/** Texts that match: they hold every phrase, and any of the words. */
	get matched(): number {
		return this.#candidates.length;
	}

	take(document: T, text: string, hasFailed = false): void {
		const isFailed = this.#pass(text, hasFailed);
		if (!isFailed && this.#mayHold?.test(text) === false) return;
		const lower = lowered(text);
		if (this.#phrases.some((phrase) => !lower.includes(phrase.text))) return;
		let counts: Float32Array | undefined;
		for (const [index, term] of this.#terms.entries()) {
			let counted = 0;
			let sum = 0;
			findTerm(text, lower, term, (_, weight) => {
				sum += weight;
				counted += 1;
				return counted < MOST_COUNTED;
			});
			if (sum === 0) continue;
			counts ??= new Float32Array(this.#terms.length);
			counts[index] = sum;
		}
		this.#keep(document, text, isFailed, counts);
	}

	/** The same of a text whose terms were counted before, in an array of its own; it holds no phrase. */
	takeCounted(document: T, text: string, hasFailed: boolean, counts: Float32Array | undefined): void {
		const isFailed = this.#pass(text, hasFailed);
		if (this.#phrases.length > 0 || (!counts && !isFailed)) return;
		for (let index = 0; counts && index < counts.length; index += 1) {
			if (counts[index]! > MOST_COUNTED) counts[index] = MOST_COUNTED;
		}
		this.#keep(document, text, isFailed, counts);
	}

	/** A text goes by; whether it is a failed result where failures are asked for. */
	#pass(text: string, hasFailed: boolean): boolean {
		this.#order += 1;
		this.#statistics.texts += 1;
		this.#statistics.units += text.length;
		return hasFailed && this.#failed.length > 0;
	}

	#keep(document: T, text: string, isFailed: boolean, found: Float32Array | undefined): void {
		let counts = found;
		if (isFailed) {
			counts ??= new Float32Array(this.#terms.length);
			for (const index of this.#failed) counts[index] ||= 1;
		}
		if (!counts) return;
		for (let index = 0; index < counts.length; index += 1) {
			if (counts[index]! > 0) this.#statistics.found[index]! += 1;
		}
		this.#candidates.push({ document, isFailed, text, order: this.#order, counts });
	}

	/** The best by entry, somewhat more than `count`, for `byLines`. */
	pool(count: number): Pooled<T>[] {
		const weights = this.#weights();
		const mean = this.#statistics.units / Math.max(1, this.#statistics.texts);
		const all = this.#candidates;
		const alone = Float64Array.from(all, (candidate) => entryScore(candidate, weights, mean));
		const scores = alone.map((score, index) => score + this.#told(index, alone));
		// Only the best are put in order: there may be as many as there are texts.
		const wanted = count + POOL;
		const least = all.length > wanted ? scores.toSorted()[all.length - wanted]! : Number.NEGATIVE_INFINITY;
		return all
			.flatMap((candidate, index) => (scores[index]! >= least ? { candidate, score: scores[index]! } : []))
			.sort((one, other) => other.score - one.score || other.candidate.order - one.candidate.order)
			.slice(0, wanted);
	}

	/** What a text's rank can come to by its lines: each term that it holds counts once in the best of them. */
	most({ candidate, score }: Pooled<T>): number {
		const weights = this.#weights();
		return candidate.counts.reduce((sum, count, term) => (count > 0 ? sum + (weights[term] ?? 0) : sum), score);
	}

	/** One of the pool with its lines. */
	byLines({ candidate, score }: Pooled<T>): Ranked<T> {
		const lines = scoredLines(candidate.text, this.#terms, this.#weights());
		const { document, order } = candidate;
		return { document, order, score: score + (lines[0]?.score ?? 0), lines };
	}

	#weights(): number[] {
		return this.#terms.map((term, index) => weightOf(term) * this.#rarity(index));
	}

	/** What a failed result gets from what stands behind it. */
	#told(index: number, scores: Float64Array): number {
		const candidate = this.#candidates[index];
		if (!candidate?.isFailed) return 0;
		let best = 0;
		for (let next = index + 1; next < this.#candidates.length; next += 1) {
			const distance = this.#candidates[next]!.order - candidate.order;
			if (distance > BEHIND) break;
			best = Math.max(best, (scores[next] ?? 0) * (1 - (distance - 1) / BEHIND));
		}
		return SHARE * best;
	}

	/** How much an occurrence of a term says: the less, the more texts hold it. */
	#rarity(index: number): number {
		const found = this.#statistics.found[index] ?? 0;
		return Math.log(1 + (this.#statistics.texts - found + 0.5) / (found + 0.5));
	}
}

function entryScore({ text, counts }: Candidate<unknown>, weights: readonly number[], mean: number): number {
	const length = SATURATION * (1 - LENGTH_SHARE + (LENGTH_SHARE * text.length) / Math.max(1, mean));
	let score = 0;
	for (let index = 0; index < counts.length; index += 1) {
		const count = counts[index]!;
		if (count > 0) score += ((weights[index] ?? 0) * count * (SATURATION + 1)) / (count + length);
	}
	return score;
}

/** The lines that hold terms, by the sum of the terms' weights, each counted once; of equals the first. */
function scoredLines(text: string, terms: readonly Term[], weights: readonly number[]): RankedLine[] {
	const lower = lowered(text);
	const places: { at: number; term: number; weight: number }[] = [];
	for (const [term, one] of terms.entries()) {
		let left = MOST_PLACES;
		findTerm(text, lower, one, (at, weight) => {
			places.push({ at, term, weight: weight * (weights[term] ?? 0) });
			left -= 1;
			return left > 0;
		});
	}
	places.sort((one, other) => one.at - other.at);
	const lines: RankedLine[] = [];
	let [number, start] = [1, 0];
	for (let index = 0; index < places.length; ) {
		for (let feed = text.indexOf("\n", start); feed >= 0 && feed < places[index]!.at; ) {
			number += 1;
			start = feed + 1;
			feed = text.indexOf("\n", start);
		}
		const feed = text.indexOf("\n", places[index]!.at);
		const end = feed < 0 ? text.length : feed;
		const at = places[index]!.at;
		const best = new Map<number, number>();
		for (; index < places.length && (places[index]!.at < end || places[index]!.at === at); index += 1) {
			const { term, weight } = places[index]!;
			best.set(term, Math.max(best.get(term) ?? 0, weight));
		}
		let score = 0;
		for (const weight of best.values()) score += weight;
		lines.push({ number, start, end, score, at });
	}
	return lines.sort((one, other) => other.score - one.score || one.number - other.number);
}
