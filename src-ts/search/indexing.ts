/**
 * Builds the index of words while nothing else is to be done: in short slices with pauses between them, from the texts of a
 * session that is large enough for a search to be felt. Ends with the session, keeps no process alive, and starts nothing
 * where nobody waits at a keyboard.
 */

import { partsOf } from "../recall/parts.ts";
import { WordIndex } from "./word-index.ts";

/** Entries below which a search takes no time, and UTF-16 units. */
const LEAST_UNITS = 4_000_000;
/** Milliseconds of work, and of pause behind it. */
const SLICE = 8;
const PAUSE = 24;

interface IndexedSession {
	getEntries(): readonly object[];
}

export class Indexing {
	#index: WordIndex | undefined;
	/** Entries that were gone through, and the units of their texts. */
	#done = 0;
	#units = 0;
	#timer: NodeJS.Timeout | undefined;
	#isFull = false;

	/** Undefined as long as there is none. */
	get index(): WordIndex | undefined {
		return this.#index;
	}

	/** The session is idle: goes on with what is new. */
	idle(session: IndexedSession): void {
		if (this.#timer !== undefined || this.#isFull) return;
		this.#timer = setTimeout(() => {
			this.#timer = undefined;
			let isMore = false;
			try {
				isMore = this.#work(session);
			} catch {
				// A session that is gone: its search goes without.
				this.close();
			}
			if (isMore) this.idle(session);
		}, PAUSE);
		this.#timer.unref();
	}

	/** Somebody works: what is not done waits. */
	rest(): void {
		clearTimeout(this.#timer);
		this.#timer = undefined;
	}

	/** Lets go of all of it. */
	close(): void {
		this.rest();
		this.#index = undefined;
		this.#isFull = true;
	}

	/** One slice; whether there is more to do. */
	#work(session: IndexedSession): boolean {
		const entries = session.getEntries();
		const until = performance.now() + SLICE;
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
