/** What changed between two requests of a session, and whether the provider's cache was warm: told from outside. */

import { LIFETIME, MODELS } from "./model.ts";
import { folds, type Request } from "./pi.ts";

/** Ids of the entries that this request folds and no request on its branch before it did. */
export function newFolds(requests: readonly Request[], index: number): string[] {
	const request = requests[index]!;
	const on = new Set(request.branch);
	const known = new Set<string>();
	for (const before of requests.slice(0, index)) {
		// Folds of a branch that was left are not on this one.
		if (before.branch.every((id) => on.has(id))) for (const id of folds(before).keys()) known.add(id);
	}
	return [...folds(request).keys()].filter((id) => !known.has(id));
}

/**
 * Whether the cache holds what the request before wrote: it reached the same model, less than a lifetime ago, with the
 * same beginning.
 */
export function isWarm(requests: readonly Request[], index: number): boolean {
	const request = requests[index]!;
	const last = requests.slice(0, index).findLast(({ ending }) => ending !== "offline");
	if (!last || last.model !== request.model || !MODELS.some(({ id }) => id === last.model)) return false;
	return request.at - last.at < LIFETIME && last.branch.every((id, position) => request.branch[position] === id);
}
