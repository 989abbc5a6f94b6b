/**
 * Work on Pi's event loop in slices, so that it is never held for long: between two of them others get their turn.
 */

import { setImmediate as othersTurn } from "node:timers/promises";

/** Milliseconds of a slice. */
const SLICE = 12;

export class Slices {
	#end = performance.now() + SLICE;

	/** Whether it is others' turn. */
	get isOver(): boolean {
		return performance.now() >= this.#end;
	}

	/** Gives others their turn, and begins the next slice. */
	async pause(): Promise<void> {
		await othersTurn();
		this.#end = performance.now() + SLICE;
	}
}
