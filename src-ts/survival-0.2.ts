/**
 * Counts out of a file that pi-zip 0.2 wrote, taken over once: the first write puts a file of today's form in its place.
 *
 * That form is not documented. What is understood: somewhere below the name of a model (`provider/model`, or the one
 * below the other), under the name of a bin that tells its edges (five minutes, an hour), a count of prompts that were
 * read from the cache and one of those that were not. Whatever looks otherwise is left out. The bins are coarse, so
 * each count goes where it says least.
 */

import { isRecord } from "./content.ts";

export interface OldCount {
	readonly provider: string;
	readonly model: string;
	/** Where the bin of today begins, in seconds. */
	readonly bin: number;
	readonly lived: boolean;
	readonly count: number;
}

const LIVED = /^(?:hits?|warm|alive|lived|survived|read)$/i;
const GONE = /^(?:miss(?:es)?|cold|dead|gone|expired|written)$/i;
const FIVE_MINUTES = /(?<!\d)(?:5 ?m|300)(?!\d)/i;
const HOUR = /(?<!\d)(?:1 ?h|60 ?m|3600)(?!\d)/i;
/** Old counts weigh no more than a few returns of today. */
const MOST = 10;

/** Bins of today, in seconds, for what lived and for what was gone: below five minutes, up to an hour, above it. */
const BELOW = { lived: 30, gone: 240 };
const BETWEEN = { lived: 300, gone: 2_700 };
const ABOVE = { lived: 3_600, gone: 86_400 };

export function oldCounts(content: unknown, path: readonly string[] = []): OldCount[] {
	if (!isRecord(content)) return [];
	return Object.entries(content).flatMap(([name, value]): OldCount[] => {
		if (typeof value !== "number") return oldCounts(value, [...path, name]);
		const lived = LIVED.test(name);
		const [model, bin] = [modelOf(path), binOf(path.at(-1) ?? "")];
		if (!(lived || GONE.test(name)) || !model || !bin || !(value > 0)) return [];
		return [{ ...model, bin: lived ? bin.lived : bin.gone, lived, count: Math.min(value, MOST) }];
	});
}

function binOf(name: string): typeof BELOW | undefined {
	if (FIVE_MINUTES.test(name)) return HOUR.test(name) ? BETWEEN : BELOW;
	return HOUR.test(name) ? ABOVE : undefined;
}

/** The nearest names above a bin: one that holds a slash, or the two last. */
function modelOf(path: readonly string[]): { provider: string; model: string } | undefined {
	const names = path
		.slice(0, -1)
		.filter((name) => !/^(?:bins?|gaps?|counts?|short|long|models?|providers?)$/i.test(name));
	const joined = names.findLast((name) => name.includes("/"));
	const [provider, ...model] = joined ? joined.split("/") : names.slice(-2);
	return provider && model.length > 0 ? { provider, model: model.join("/") } : undefined;
}
