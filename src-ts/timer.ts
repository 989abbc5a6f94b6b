/** Timers that keep no process alive. */

/** Longest delay that Node knows, in milliseconds: what is longer would fire at once. */
const LONGEST = 2 ** 31 - 1;

export type Timer = ReturnType<typeof setTimeout>;

/** Calls `then` once, after so many milliseconds or the longest delay that there is. */
export function later(millis: number, then: () => void): Timer {
	const timer = setTimeout(then, Math.min(Math.max(0, millis), LONGEST));
	timer.unref();
	return timer;
}
