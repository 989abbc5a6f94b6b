/**
 * The entries by which a session keeps what the user decided on folds. What they mean is read off in `standing.ts` and,
 * for the core, in `wire-entries.ts`.
 */

import { isRecord } from "../content.ts";

/** Custom type of the entries that take a fold back, or keep an output from being folded: one output each. */
export const KEEP_ENTRY = "pi-zip.keep";

/** Custom type of the entry that asks for what the next cold return would fold. */
export const FOLD_NOW_ENTRY = "pi-zip.fold-now";

/** What such an entry of the first kind holds: the output, and its size as the core counts it. */
export interface Kept {
	readonly target: string;
	/** What was kept may be folded again. */
	readonly released: boolean;
	readonly units: number;
	readonly images: number;
}

export function keptIn(data: unknown): Kept | undefined {
	if (!isRecord(data) || typeof data.target !== "string") return undefined;
	const count = (value: unknown) => (typeof value === "number" && value >= 0 ? Math.floor(value) : 0);
	return {
		target: data.target,
		released: data.released === true,
		units: count(data.units),
		images: count(data.images),
	};
}
