/**
 * Feeds the branch to the core: each entry once, in order, and only what the core does not know yet.
 *
 * Output texts are not part of an entry; the core asks for those it wants to see.
 */

import { imagesIn, outputContent, textOf } from "./content.ts";
import { newEntries, type ReadonlySession, type SessionEntry } from "./host.ts";
import { imageNames } from "./recall/image.ts";
import type { WireEntry } from "./wire.ts";
import { toWire } from "./wire-entries.ts";

/** The core as it is fed. */
export interface Fed {
	/** Keeps the first entries of the branch and puts others behind them. */
	sync(keep: number, entries: readonly WireEntry[]): void;
	/** Positions of outputs whose text is wanted: those in view, or on the whole branch. */
	wanted(whole: boolean): Iterable<number>;
	/** `text` is UTF-8, and is not kept; `images` says what images stand in the output. */
	digest(index: number, text: Uint8Array, images: string): void;
}

/** Which entries of the branch the core holds, by position. */
export class Feed {
	#entries: SessionEntry[] = [];
	#positions = new Map<string, number>();

	/** Brings the core up to the session's leaf. */
	sync(core: Fed, session: ReadonlySession): void {
		const { fresh, ancestor } = newEntries(session, (id) => this.#positions.has(id));
		const keep = ancestor === undefined ? 0 : (this.#positions.get(ancestor) ?? -1) + 1;
		if (fresh.length === 0 && keep === this.#entries.length) return;
		for (const { id } of this.#entries.splice(keep)) this.#positions.delete(id);
		core.sync(keep, fresh.map(toWire));
		for (const entry of fresh) {
			this.#positions.set(entry.id, this.#entries.length);
			this.#entries.push(entry);
		}
		this.#giveTexts(core, false);
	}

	/**
	 * Has the core see the texts of all outputs: a summary tells of those as well that a compaction took from view. Ends
	 * soon after `until` by `performance.now()`; whether there are more.
	 */
	complete(core: Fed, until = Number.POSITIVE_INFINITY): boolean {
		return this.#giveTexts(core, true, until);
	}

	#giveTexts(core: Fed, whole: boolean, until = Number.POSITIVE_INFINITY): boolean {
		for (const index of core.wanted(whole)) {
			if (performance.now() >= until) return true;
			const content = outputContent(this.entry(index));
			core.digest(index, utf8(textOf(content)), imageNames(imagesIn(content) ?? []));
		}
		return false;
	}

	/** Entries on the branch. */
	get length(): number {
		return this.#entries.length;
	}

	/** The entry at a position on the branch. */
	entry(index: number): SessionEntry {
		const entry = this.#entries[index];
		if (entry === undefined) throw new RangeError(`no entry at ${index} of ${this.#entries.length}`);
		return entry;
	}

	/** Position of an entry on the branch. */
	position(id: string | undefined): number | undefined {
		return id === undefined ? undefined : this.#positions.get(id);
	}

	/** Id of the entry at a position on the branch. */
	id(index: number): string {
		return this.entry(index).id;
	}
}

const encoder = new TextEncoder();
/** Bytes that are kept for the next text. Larger ones are rare. */
const KEPT_BYTES = 1 << 18;
const MOST_BYTES_A_UNIT = 3;
const kept = new Uint8Array(KEPT_BYTES);

/**
 * A text as the core takes it, valid until the next call: the module's own way for strings is a loop over their units,
 * and keeps three times the memory for good where a text is not ASCII.
 */
export function utf8(text: string): Uint8Array {
	if (text.length * MOST_BYTES_A_UNIT > KEPT_BYTES) return encoder.encode(text);
	return kept.subarray(0, encoder.encodeInto(text, kept).written);
}
