/** Random choices that a seed fixes, for tests on generated data. */
export class Random {
	#state: number;

	constructor(seed: number) {
		this.#state = seed >>> 0;
	}

	/** A number in [0, 1): mulberry32. */
	next(): number {
		this.#state = (this.#state + 0x6d2b79f5) >>> 0;
		let mixed = this.#state;
		mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	}

	/** A whole number in [0, bound). */
	below(bound: number): number {
		return Math.floor(this.next() * bound);
	}

	chance(probability: number): boolean {
		return this.next() < probability;
	}

	pick<const T>(items: readonly T[]): T {
		return items[this.below(items.length)] as T;
	}

	/** One of the items, each as likely as its weight says. */
	weighted<T>(items: readonly (readonly [weight: number, item: T])[]): T {
		let left = this.next() * items.reduce((sum, [weight]) => sum + weight, 0);
		for (const [weight, item] of items) {
			left -= weight;
			if (left < 0) return item;
		}
		return (items.at(-1) as [number, T])[1];
	}
}
