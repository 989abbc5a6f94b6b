/**
 * The returns of this process that may show how long a cache lives: answers that came after a gap, until somebody has
 * looked what they show. What they show is the core's to say.
 */

/** One answer, as its message names it. */
export interface Return {
	readonly provider: string;
	readonly model: string;
	/** When its request went out, in milliseconds since the epoch: the message's own time. */
	readonly at: number;
	/** When the request before it ended; undefined where this process sent none. */
	readonly touched: number | undefined;
	/** The entry from which on its view differed from the one before; undefined where it did not. */
	readonly edited: string | undefined;
}

/** Milliseconds. Nothing can be learned of shorter gaps; answers in a run come after less. */
export const SHORTEST_GAP = 30_000;

export class Returns {
	#touched: number | undefined;
	#edited: string | undefined;
	#waiting: Return[] = [];

	/** Whether something is to be looked at. */
	get some(): boolean {
		return this.#waiting.length > 0;
	}

	/** The request that goes out next shows this entry, and what stands behind it, otherwise than the last one did. */
	edit(entryId: string | undefined): void {
		this.#edited ??= entryId;
	}

	/** A request was answered at `now`. */
	answered({ provider, model, timestamp }: { provider: string; model: string; timestamp: number }, now: number): void {
		const touched = this.#touched;
		if (touched === undefined || timestamp - touched >= SHORTEST_GAP)
			this.#waiting.push({ provider, model, at: timestamp, touched, edited: this.#edited });
		this.#touched = now;
		this.#edited = undefined;
	}

	/** The cache was read, and so renewed, by a request that is none of the session's. */
	touched(now: number): void {
		if (this.#touched !== undefined) this.#touched = now;
	}

	/** Hands over what is to be looked at. */
	take(): Return[] {
		return this.#waiting.splice(0);
	}
}
