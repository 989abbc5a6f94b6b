/**
 * Builds the index of words, in slices, from the texts of a session that is large enough for a search to be felt.
 */

import { partsOf } from "../recall/parts.ts";
import { WordIndex } from "./word-index.ts";

/** UTF-16 units below which a search takes no time. */
const LEAST_UNITS = 4_000_000;

interface IndexedSession {
	getEntries(): readonly object[];
}

export class Indexing {
	#index: WordIndex | undefined;
	/** Entries that were gone through, and the units of their texts. */
	#done = 0;
	#units = 0;
	#isFull = false;

	/** Undefined as long as there is none. */
	get index(): WordIndex | undefined {
		return this.#index;
	}

	/** Lets go of all of it. */
	close(): void {
		this.#index = undefined;
		this.#isFull = true;
	}

	/** One slice; whether there is more to do. */
	work(session: IndexedSession, until: number): boolean {
		if (this.#isFull) return false;
		const entries = session.getEntries();
		while (this.#done < entries.length) {
			const parts = partsOf(entries[this.#done]!);
			if (this.#index) {
				for (const part of parts) this.#isFull ||= !this.#index.add(part);
				if (this.#isFull) return false;
			}
			for (const { text } of parts) this.#units += text.length;
			this.#done += 1;
			if (!this.#index && this.#units >= LEAST_UNITS) {
				this.#index = new WordIndex();
				this.#done = 0;
			}
			if (performance.now() >= until) return true;
		}
		return false;
	}
}
