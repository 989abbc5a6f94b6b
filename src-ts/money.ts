/**
 * Amounts of money: dollars where a session recorded some, else tokens of input, of which one costs 1.
 */

import { dollars, tokens } from "./format.ts";

/** What four digits behind the point round to nothing. */
const LEAST_DOLLARS = 0.00005;

export function money(amount: number, inDollars: boolean): string {
	if (inDollars) return Math.abs(amount) < LEAST_DOLLARS ? "$0" : dollars(amount);
	return `${amount < 0 ? "-" : ""}${tokens(Math.abs(amount))} tok`;
}

export function percent(share: number): string {
	return `${(100 * share).toFixed(1)} %`;
}

/** What is saved of `plain`, as a share of it. */
export function saving(plain: number, cost: number): number {
	return plain > 0 ? (plain - cost) / plain : 0;
}
