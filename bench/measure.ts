/**
 * Times work that is done again and again. Wall time is what a user waits for; on a machine that does other work too its
 * median says little about anything that takes longer than a slice, so the least and the thread's own time stand beside
 * it. The clock of the latter ticks every few milliseconds: it is only looked at where the work is longer than that.
 */

export interface Timed {
	/** Milliseconds. */
	wall: number;
	/** Milliseconds of this thread, in ticks of the system's clock. */
	cpu: number;
}

export function time(work: () => unknown): Timed {
	const cpu = process.threadCpuUsage();
	const start = performance.now();
	work();
	const wall = performance.now() - start;
	return { wall, cpu: cpuSince(cpu) };
}

export async function timeAsync(work: () => Promise<unknown>): Promise<Timed> {
	const cpu = process.threadCpuUsage();
	const start = performance.now();
	await work();
	const wall = performance.now() - start;
	return { wall, cpu: cpuSince(cpu) };
}

/** The longest stretch for which the event loop did nothing but the work. */
export async function longestHold(work: () => Promise<unknown>): Promise<Timed> {
	let longest: Timed = { wall: 0, cpu: 0 };
	let isDone = false;
	const watch = async () => {
		while (!isDone) {
			const held = await timeAsync(() => new Promise((done) => setImmediate(done)));
			if (held.wall > longest.wall) longest = held;
		}
	};
	const watched = watch();
	await work();
	isDone = true;
	await watched;
	return longest;
}

function cpuSince(start: NodeJS.CpuUsage): number {
	const { user, system } = process.threadCpuUsage(start);
	return (user + system) / 1000;
}

export function median(values: readonly number[]): number {
	const sorted = [...values].sort((a, b) => a - b);
	const middle = sorted.length >> 1;
	return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
