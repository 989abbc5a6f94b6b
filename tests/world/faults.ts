/**
 * Lets exports of the module trap: every instance that is made from here on has its exports wrapped. Once one has
 * trapped, all of that instance trap, as memory that cannot be trusted would have it.
 */

/** A module whose one function, `f`, is the instruction `unreachable`. */
const UNREACHABLE = Uint8Array.of(
	...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
	...[1, 4, 1, 0x60, 0, 0], // one type: no parameter, no result
	...[3, 2, 1, 0], // one function of that type
	...[7, 5, 1, 1, 0x66, 0, 0], // exported as "f"
	...[10, 5, 1, 3, 0, 0, 0x0b], // its body
);

type Exports = Record<string, unknown>;
interface Engine {
	Module: new (bytes: Uint8Array) => object;
	Instance: new (module: object, imports?: object) => { readonly exports: Exports };
}
const engine = (globalThis as unknown as { WebAssembly: Engine }).WebAssembly;
const RealInstance = engine.Instance;
const trap = new RealInstance(new engine.Module(UNREACHABLE)).exports.f as () => never;

let armed: { name: string; left: number; next?: string | undefined } | undefined;
let hits = 0;

export const faults = {
	/** Lets the export trap at its next calls, so many times, and behind them `next` once. */
	arm(name: string, times = 1, next?: string): void {
		armed = { name, left: times, next };
		hits = 0;
	},
	disarm(): void {
		armed = undefined;
	},
	/** Traps since it was armed. */
	get hits(): number {
		return hits;
	},
};

engine.Instance = class extends RealInstance {
	#dead = false;

	constructor(module: object, imports?: object) {
		super(module, imports);
		const wrap = ([name, value]: [string, unknown]) => [
			name,
			typeof value === "function" ? this.#wrap(name, value) : value,
		];
		Object.defineProperty(this, "exports", { value: Object.fromEntries(Object.entries(this.exports).map(wrap)) });
	}

	#wrap(name: string, real: object) {
		return (...args: unknown[]) => {
			if (this.#dead) trap();
			if (armed?.name === name && armed.left > 0) {
				armed.left -= 1;
				hits += 1;
				if (armed.left === 0 && armed.next !== undefined) armed = { name: armed.next, left: 1 };
				this.#dead = true;
				trap();
			}
			return (real as (...args: unknown[]) => unknown)(...args);
		};
	}
};
