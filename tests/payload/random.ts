/** A small seeded generator of random numbers, so that a failure can be had again from its seed. */

export class Random {
	#state: number;

	constructor(seed: number) {
		this.#state = seed >>> 0;
	}

	/** In [0, 1). The mulberry32 generator. */
	next(): number {
		this.#state = (this.#state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	}

	below(limit: number): number {
		return Math.floor(this.next() * limit);
	}

	chance(probability: number): boolean {
		return this.next() < probability;
	}

	pick<T>(choices: readonly T[]): T {
		return choices[this.below(choices.length)]!;
	}

	shuffled<T>(items: readonly T[]): T[] {
		const left = [...items];
		const order: T[] = [];
		while (left.length > 0) order.push(...left.splice(this.below(left.length), 1));
		return order;
	}
}
