/**
 * Where requests stand on a time axis: in proportion to time while work went on, with idle gaps cut down to a mark.
 *
 * Each request gets at least the width of a bar, however quickly it followed, so a very busy stretch is drawn wider than
 * its time.
 */

export interface Gap {
	x: number;
	width: number;
	/** Milliseconds. */
	idle: number;
}

export interface Tick {
	x: number;
	/** Milliseconds since the epoch. */
	time: number;
}

export interface Timeline {
	width: number;
	/** Width of a bar. */
	bar: number;
	/** Left edges of the bars. */
	x: number[];
	gaps: Gap[];
	ticks: Tick[];
}

export interface Moment {
	/** Milliseconds since the epoch. */
	sent: number;
	/** Milliseconds since the last answer. */
	idle: number;
	cold: boolean;
}

/** Milliseconds from which on a pause is drawn as a gap: the shortest lifetime of a cache that a provider documents. */
const IDLE_MS = 300_000;
const GAP_WIDTH = 26;
/** Pixels that the axis fills where it can. */
const WIDTH = 1_000;
const BAR = { least: 2.4, most: 18 };
const PADDING = 10;
/** Pixels between two labels of the axis. */
const TICK_DISTANCE = 90;

export function timeline(moments: readonly Moment[]): Timeline {
	const isGap = ({ idle, cold }: Moment, index: number) => index > 0 && (cold || idle >= IDLE_MS);
	const gapsWidth = moments.filter(isGap).length * GAP_WIDTH;
	const count = Math.max(1, moments.length);
	// Half of the room is for bars at their least distance, the rest is shared out by time.
	const step = Math.min(BAR.most, Math.max(BAR.least, ((WIDTH - gapsWidth) * 0.6) / count));
	const room = Math.max(WIDTH, gapsWidth + count * step * 1.25) - gapsWidth;
	const waits = moments.map((moment, index) => {
		if (index === 0 || isGap(moment, index)) return 0;
		return Math.max(0, moment.sent - moments[index - 1]!.sent);
	});
	const scale = scaleFor(waits, step, room);

	const result: Timeline = { width: 0, bar: Math.max(1.6, step * 0.82), x: [], gaps: [], ticks: [] };
	let x = PADDING;
	for (const [index, moment] of moments.entries()) {
		if (isGap(moment, index)) {
			x += step;
			result.gaps.push({ x, width: GAP_WIDTH, idle: moment.idle });
			x += GAP_WIDTH;
		} else if (index > 0) x += Math.max(step, waits[index]! * scale);
		result.x.push(x);
		const last = result.ticks.at(-1);
		if (last === undefined || x - last.x >= TICK_DISTANCE) result.ticks.push({ x, time: moment.sent });
	}
	result.width = x + step + PADDING;
	return result;
}

/** Pixels to a millisecond with which all waits, none below `step`, fill the room. */
function scaleFor(waits: readonly number[], step: number, room: number): number {
	const widthAt = (scale: number) => waits.reduce((sum, wait) => sum + Math.max(step, wait * scale), 0);
	let low = 0;
	let high = 1;
	if (waits.every((wait) => wait === 0)) return 0;
	while (widthAt(high) < room) high *= 2;
	for (let round = 0; round < 60; round++) {
		const middle = (low + high) / 2;
		if (widthAt(middle) > room) high = middle;
		else low = middle;
	}
	return low;
}
