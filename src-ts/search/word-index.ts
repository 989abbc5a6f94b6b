/**
 * Which words stand in which texts, so that a ranked search need not look through all of them each time.
 *
 * A text is divided into runs of letters, digits and the marks that join names. Distinct runs are kept once, one behind
 * another; of each text only which runs it has, and how often. A query is looked for in the runs by the same rules as in a
 * text, so it counts what it would count there. A text with a run that is too long to keep, and one that may hold a term with
 * other characters, is looked through as it is. Held in memory alone, without a copy of any text.
 */

import type { Part } from "../recall/parts.ts";
import { findTerm, isRunUnit, lowered, type Term } from "./query.ts";

/** Units of a run that is kept: longer ones are encoded data, which nobody looks for by words. */
const LONGEST_RUN = 64;
/** Distinct runs: their number shares 32 bits with a count. */
const MOST_RUNS = 1 << 24;
const MOST_COUNT = 255;
/** Texts of one step. */
const STEP = 2_000;
/** The part of the texts' size that the index may take; what comes later is looked through as it is. */
const SHARE = 0.3;
/** UTF-16 units of text that are let in before the share is held against it. */
const ALLOWANCE = 8_000_000;

/** What is known of a query's terms in the texts. */
export interface Counted {
	/** Weighted occurrences of each term; undefined where there are none. */
	counts(place: number): Float32Array | undefined;
	/** Whether only the text itself can tell. */
	isOpen(place: number): boolean;
}

export class WordIndex {
	#units = new Uint16Array(1 << 14);
	#length = 0;
	/** Where each run begins in the units; a line feed stands behind each. */
	#starts = new Uint32Array(1 << 11);
	#runs = 0;
	/** Open addressing: number of a run and one; nought is free. */
	#table = new Uint32Array(1 << 13);
	/** By run: place of its entry among those of the newest text that has it, and one. */
	#slots = new Uint32Array(1 << 11);
	/** Number of a run and how often it stands in the text, text by text. */
	#entries = new Uint32Array(1 << 14);
	#used = 0;
	#ends = new Uint32Array(1 << 10);
	#texts = 0;
	readonly #long = new Set<number>();
	readonly #places = new WeakMap<Part, number>();
	/** Units of the texts. */
	#size = 0;

	/** Bytes that it takes. */
	get bytes(): number {
		const all = [this.#units, this.#starts, this.#table, this.#slots, this.#entries, this.#ends];
		return all.reduce((sum, { byteLength }) => sum + byteLength, 0);
	}

	/** Units of the texts that it knows. */
	get size(): number {
		return this.#size;
	}

	place(part: Part): number | undefined {
		return this.#places.get(part);
	}

	/** Takes a text in, once; false where there is no more room. */
	add(part: Part): boolean {
		if (this.#places.has(part)) return true;
		if (this.#size > ALLOWANCE && this.bytes > SHARE * this.#size) return false;
		if (this.#runs > MOST_RUNS - part.text.length / 2) return false;
		const { text } = part;
		const begin = this.#used;
		let start = -1;
		let hash = 0;
		for (let at = 0; at <= text.length; at += 1) {
			const unit = at < text.length ? text.charCodeAt(at) : 0;
			if (at < text.length && isRunUnit(unit)) {
				if (start < 0) [start, hash] = [at, 0];
				hash = Math.imul(hash ^ unit, 0x01000193);
			} else if (start >= 0) {
				if (at - start > LONGEST_RUN) this.#long.add(this.#texts);
				else this.#count(this.#run(text, start, at, hash), begin);
				start = -1;
			}
		}
		this.#ends = roomFor(this.#ends, this.#texts);
		this.#ends[this.#texts] = this.#used;
		this.#places.set(part, this.#texts);
		this.#texts += 1;
		this.#size += text.length;
		return true;
	}

	#count(run: number, begin: number): void {
		const slot = this.#slots[run]!;
		if (slot > begin) {
			if ((this.#entries[slot - 1]! & MOST_COUNT) < MOST_COUNT) this.#entries[slot - 1]! += 1;
			return;
		}
		this.#entries = roomFor(this.#entries, this.#used);
		this.#entries[this.#used] = ((run << 8) | 1) >>> 0;
		this.#used += 1;
		this.#slots[run] = this.#used;
	}

	/** The number of a run, a new one where it was not seen before. */
	#run(text: string, start: number, end: number, hash: number): number {
		if (this.#runs * 2 >= this.#table.length) this.#grow();
		const mask = this.#table.length - 1;
		let at = mixed(hash) & mask;
		for (let known = this.#table[at]!; known > 0; known = this.#table[at]!) {
			if (this.#isAt(known - 1, text, start, end)) return known - 1;
			at = (at + 1) & mask;
		}
		this.#starts = roomFor(this.#starts, this.#runs + 1);
		this.#slots = roomFor(this.#slots, this.#runs);
		this.#units = roomFor(this.#units, this.#length + LONGEST_RUN + 1);
		this.#starts[this.#runs] = this.#length;
		for (let unit = start; unit < end; unit += 1) {
			this.#units[this.#length] = text.charCodeAt(unit);
			this.#length += 1;
		}
		this.#units[this.#length] = 10;
		this.#length += 1;
		this.#runs += 1;
		this.#starts[this.#runs] = this.#length;
		this.#table[at] = this.#runs;
		return this.#runs - 1;
	}

	#isAt(run: number, text: string, start: number, end: number): boolean {
		const from = this.#starts[run]!;
		if (this.#starts[run + 1]! - 1 - from !== end - start) return false;
		for (let index = 0; index < end - start; index += 1) {
			if (this.#units[from + index] !== text.charCodeAt(start + index)) return false;
		}
		return true;
	}

	#grow(): void {
		const table = new Uint32Array(this.#table.length * 2);
		const mask = table.length - 1;
		for (let run = 0; run < this.#runs; run += 1) {
			let hash = 0;
			for (let at = this.#starts[run]!; at < this.#starts[run + 1]! - 1; at += 1) {
				hash = Math.imul(hash ^ this.#units[at]!, 0x01000193);
			}
			let at = mixed(hash) & mask;
			while (table[at]! > 0) at = (at + 1) & mask;
			table[at] = run + 1;
		}
		this.#table = table;
	}

	/** Looks for the terms in all texts at once, in steps that the caller may pause between. */
	*look(terms: readonly Term[]): Generator<void, Counted> {
		const units = Buffer.from(this.#units.buffer, 0, this.#length * 2).toString("utf16le");
		const lower = lowered(units);
		/** By run: the number of its row of weights, and one. */
		const rowOf = new Int32Array(this.#runs);
		const rows: Float32Array[] = [];
		/** By run: which parts of terms with other characters it holds. */
		const held = new Uint32Array(this.#runs);
		/** For each such term the parts that a text must hold. */
		const needs: number[] = [];
		let bits = 0;
		for (const [index, term] of terms.entries()) {
			yield;
			if (term.kind === "name" || (term.kind !== "phrase" && isRun(term.text))) {
				const at = this.#walk();
				findTerm(units, lower, term, (place, weight) => {
					const run = at(place);
					if (rowOf[run] === 0) rowOf[run] = rows.push(new Float32Array(terms.length));
					rows[rowOf[run]! - 1]![index]! += weight;
					return true;
				});
				continue;
			}
			let need = 0;
			for (const part of runsOf(term.text)) {
				if (bits === 31) break;
				const bit = 1 << bits;
				bits += 1;
				need |= bit;
				const at = this.#walk();
				for (let place = lower.indexOf(part); place >= 0; place = lower.indexOf(part, place + part.length)) {
					held[at(place)]! |= bit;
				}
			}
			needs.push(need);
		}
		return yield* this.#sum(rowOf, rows, held, needs, terms.length);
	}

	*#sum(
		rowOf: Int32Array,
		rows: readonly Float32Array[],
		held: Uint32Array,
		needs: readonly number[],
		terms: number,
	): Generator<void, Counted> {
		const entries = this.#entries;
		const texts = this.#texts;
		const sums = new Float32Array(texts * terms);
		const found = new Uint8Array(texts);
		const open = new Uint8Array(texts);
		let entry = 0;
		for (let text = 0; text < texts; text += 1) {
			if (text % STEP === 0) yield;
			const end = this.#ends[text]!;
			const base = text * terms;
			let bits = 0;
			for (; entry < end; entry += 1) {
				const run = entries[entry]! >>> 8;
				bits |= held[run]!;
				const row = rowOf[run]!;
				if (row === 0) continue;
				found[text] = 1;
				const times = entries[entry]! & MOST_COUNT;
				const weights = rows[row - 1]!;
				for (let term = 0; term < terms; term += 1) sums[base + term]! += times * weights[term]!;
			}
			for (let at = 0; at < needs.length; at += 1) if ((bits & needs[at]!) === needs[at]!) open[text] = 1;
		}
		for (const text of this.#long) open[text] = 1;
		return {
			counts: (place) => (found[place] === 1 ? sums.subarray(place * terms, (place + 1) * terms) : undefined),
			isOpen: (place) => open[place] === 1,
		};
	}

	/** From a place in the units to the run that holds it, for places in order. */
	#walk(): (place: number) => number {
		let run = 0;
		return (place) => {
			// Far steps by halves, since most runs hold nothing.
			let step = 1;
			while (run + step < this.#runs && this.#starts[run + step]! <= place) {
				run += step;
				step *= 2;
			}
			while (step >= 1) {
				if (run + step < this.#runs && this.#starts[run + step]! <= place) run += step;
				step >>= 1;
			}
			return run;
		};
	}
}

function mixed(hash: number): number {
	return (hash ^ (hash >>> 15)) >>> 0;
}

function isRun(text: string): boolean {
	for (let at = 0; at < text.length; at += 1) if (!isRunUnit(text.charCodeAt(at))) return false;
	return text !== "";
}

function runsOf(text: string): string[] {
	const runs: string[] = [];
	let start = 0;
	for (let at = 0; at <= text.length; at += 1) {
		if (at < text.length && isRunUnit(text.charCodeAt(at))) continue;
		if (at > start) runs.push(text.slice(start, at));
		start = at + 1;
	}
	return runs;
}

/** The array, or one of half as many places again where `at` is none of its places. */
function roomFor<T extends Uint16Array | Uint32Array>(array: T, at: number): T {
	if (at < array.length) return array;
	const larger = new (array.constructor as new (length: number) => T)(Math.ceil((at + 1) * 1.4));
	larger.set(array as never);
	return larger;
}
