/** Finds the stretches of a conversation in which calls and results are paired independently of all others. */

/**
 * The windows that hold the `suspects`, ascending and without overlap, as `[start, end)`: from where the model spoke to
 * where it speaks again. `speaks` tells the model's messages from the others; `undefined` stands for neither.
 */
export function windowsAround<T>(
	list: readonly T[],
	suspects: readonly number[],
	speaks: (message: T) => boolean | undefined,
): [start: number, end: number][] {
	const windows: [number, number][] = [];
	for (const suspect of suspects) {
		if (suspect < (windows.at(-1)?.[1] ?? 0)) continue;
		let start = suspect;
		while (start > 0 && speaks(list[start]!) !== true) start -= 1;
		while (start > 0 && speaks(list[start - 1]!) !== false) start -= 1;
		let end = suspect + 1;
		while (end < list.length && speaks(list[end]!) !== true) end += 1;
		windows.push([start, end]);
	}
	return windows;
}
