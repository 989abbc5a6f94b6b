/**
 * What each validator here is: a provider's public rules on how calls and results must pair and in what order messages
 * may stand, as that provider's API refuses requests. Written from those rules alone, one a family, and it knows
 * nothing of how requests are repaired. Reused ids are taken, as long as each call has its own answer.
 */

/** What the provider would refuse, in words; empty for a request that it takes. */
export type Validator = (body: unknown) => string[];

/** Consecutive elements with the same key, as one. */
export function grouped<T>(items: readonly T[], keyOf: (item: T) => string): { key: string; items: T[] }[] {
	const groups: { key: string; items: T[] }[] = [];
	for (const item of items) {
		const key = keyOf(item);
		const last = groups.at(-1);
		if (last?.key === key) last.items.push(item);
		else groups.push({ key, items: [item] });
	}
	return groups;
}

/** Complaints where the answers are not exactly one for each call, in any order. */
export function pairingOf(calls: readonly string[], answers: readonly string[]): string[] {
	const open = [...calls];
	const unexpected = answers.filter((answer) => {
		const found = open.indexOf(answer);
		if (found >= 0) open.splice(found, 1);
		return found < 0;
	});
	return [...unexpected.map((answer) => `unexpected result ${answer}`), ...open.map((call) => `no result for ${call}`)];
}
