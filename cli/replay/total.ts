/**
 * What sessions come to. Dollars and tokens of input are summed apart: they cannot be added.
 */

import type { WireOutcome, WirePart, WireSession } from "../lab.ts";

export interface Sum {
	sessions: number;
	requests: number;
	returns: number;
	billed: number;
	bill: WirePart[];
	recorded: number;
	estimated: boolean;
	policies: WireOutcome[];
}

export class Total {
	readonly dollars: Sum = empty();
	readonly tokens: Sum = empty();

	get sessions(): number {
		return this.dollars.sessions + this.tokens.sessions;
	}

	add(session: WireSession): void {
		const sum = session.dollars ? this.dollars : this.tokens;
		sum.sessions += 1;
		sum.requests += session.requests;
		sum.returns += session.returns;
		sum.billed += session.billed;
		sum.recorded += session.recorded;
		for (const part of session.bill) {
			const known = sum.bill.find(({ part: name }) => name === part.part);
			if (known === undefined) sum.bill.push({ ...part });
			else {
				known.tokens += part.tokens;
				known.money += part.money;
			}
		}
		sum.estimated ||= session.estimated || session.simulated;
		for (const outcome of session.policies) {
			const known = sum.policies.find(({ policy }) => policy === outcome.policy);
			if (known === undefined) sum.policies.push({ ...outcome });
			else {
				known.cost += outcome.cost;
				known.folds += outcome.folds;
				known.misses += outcome.misses;
				known.recalled += outcome.recalled;
				known.peak = Math.max(known.peak, outcome.peak);
			}
		}
	}

	forJson(): { dollars: Sum; tokens: Sum } {
		return { dollars: this.dollars, tokens: this.tokens };
	}
}

function empty(): Sum {
	return { sessions: 0, requests: 0, returns: 0, billed: 0, bill: [], recorded: 0, estimated: false, policies: [] };
}
