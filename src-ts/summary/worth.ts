/**
 * Whether a summary is worth its price: written ahead from the warm cache, at a cold return by a request of its own, or
 * used at a return that finds the cache warm. Plain numbers; reads nothing and asks nobody.
 */

/** Tokens are real ones, prices those of a token. */
export interface Outlook {
	/** The context as it is, as folds alone would leave it at a cold return, and with the summary. */
	readonly context: number;
	readonly folded: number;
	readonly summarised: number;
	readonly input: number;
	readonly output: number;
	readonly read: number;
	readonly write: number;
	/** Requests of the stretch of work that begins with the return, by the mean: what each saves adds up. */
	readonly requests: number;
}

/** Chances that the user comes back while the cache would still live, while it lives once more, and after that. */
export interface Absence {
	readonly soon: number;
	readonly late: number;
}

/** A return whose context folds leave at this many times the target needs a summary. */
const MUCH_ABOVE = 1.5;

/** Tokens of a narrative: what it is asked to hold, 600 words and headings. */
export const EXPECTED_NARRATIVE = 900;

/**
 * A summary that is not sure to be used, and whose text is less than what it replaces, has to gain this many times its
 * price.
 */
const EAGERNESS = 1.25;

export function needsSummary({ folded, summarised }: Outlook, target: number): boolean {
	return folded > MUCH_ABOVE * target && summarised < folded;
}

/**
 * Chance that such a stretch is followed by another cold return, which finds the summary or writes as much more: of six
 * recorded sessions with one return four had a second, of those two a third, of these one a fourth.
 */
const AGAIN = 0.5;

/** What a stretch of work costs that begins on a cold cache with `size` tokens. */
function stretch(size: number, { read, write, requests }: Outlook): number {
	return size * (write + Math.max(0, requests - 1) * read);
}

/** What the summary saves at a cold return and after it. */
function saved(outlook: Outlook): number {
	return (1 + AGAIN) * (stretch(outlook.folded, outlook) - stretch(outlook.summarised, outlook));
}

/** Written while the cache is warm: it reads the context, and keeps the cache for a lifetime more. */
export function paysAhead(outlook: Outlook, { soon, late }: Absence): boolean {
	const { context, folded, read, write, output } = outlook;
	const cost = context * read + EXPECTED_NARRATIVE * output;
	// A return that now finds the cache warm needs no summary, and reads what it would have written.
	const kept = Math.max(0, folded * write - context * read);
	return late * saved(outlook) + soon * kept > EAGERNESS * cost;
}

/** Written at a cold return, over `originals` tokens that are put in for it and that no cache holds. */
export function paysAtReturn(outlook: Outlook, originals: number): boolean {
	const cost = originals * outlook.input + EXPECTED_NARRATIVE * outlook.output;
	return saved(outlook) > EAGERNESS * cost;
}

/** Used at a return to a warm cache: what stands behind the system prompt is written anew. */
export function paysWarm({ context, summarised, read, write, requests }: Outlook): boolean {
	return requests * read * (context - summarised) > EAGERNESS * (write - read) * summarised;
}

/** How many absences a belief counts for that rests on nothing, and the parts of it: Pi's own users, as it was measured. */
const USUAL_WEIGHT = 4;
const USUAL_SOON = 0.15;
const USUAL_LATE = 0.5;

/**
 * What is to be expected of an absence that has lasted for `away` milliseconds: a return within `span` milliseconds, or a
 * later one. `returns` counts earlier ones by bin of gaps, which begin at `edges`; the number behind them says how often
 * there was none.
 */
export function absence(away: number, span: number, returns: readonly number[], edges: ArrayLike<number>): Absence {
	const until = away + span;
	let [soon, late, any] = [USUAL_SOON * USUAL_WEIGHT, USUAL_LATE * USUAL_WEIGHT, USUAL_WEIGHT];
	for (let bin = 0; bin < edges.length; bin += 1) {
		const from = edges[bin] ?? 0;
		const to = edges[bin + 1] ?? 2 * from;
		const seen = returns[bin] ?? 0;
		// Returns lie evenly in their bin.
		const share = (since: number) => (to - Math.min(to, Math.max(from, since))) / (to - from);
		soon += seen * (share(away) - share(until));
		late += seen * share(until);
		any += seen * share(away);
	}
	any += returns[edges.length] ?? 0;
	return { soon: soon / any, late: late / any };
}
