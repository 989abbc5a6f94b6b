/**
 * A clock that stands still until a test moves it, for everything in the process that asks for the date. So times are
 * the same in each run of a seed, and messages often share one. Timers are not moved.
 */

const RealDate = Date;

/** Where it begins, in milliseconds since the epoch. */
const START = Date.UTC(2026, 5, 1, 9);

let now = START;

globalThis.Date = new Proxy(RealDate, {
	construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now] : args, newTarget),
	apply: () => new RealDate(now).toString(),
	get: (target, key, receiver) => (key === "now" ? () => now : Reflect.get(target, key, receiver)),
});

export const clock = {
	get now(): number {
		return now;
	},
	/** Goes on by so many milliseconds; backwards where they are negative. */
	advance(milliseconds: number): void {
		now += milliseconds;
	},
	reset(): void {
		now = START;
	},
};
