/** The two bills side by side. */
import type { Charge } from "../tests/server/bill.ts";
import { DEFAULT_PRICES } from "../tests/server/bill.ts";

/** The demo promises at most this share of the bill without pi-zip. */
export const RATIO_BOUND = 0.6;

const dollars = (money: number) => `$${money.toFixed(3)}`;
const row = (name: string, left: string, right: string) =>
	`${name.padEnd(34)}${left.padStart(12)}${right.padStart(14)}`;

export function billLines(plain: Charge, zip: Charge): { lines: string[]; ratio: number } {
	const tokens = (name: string, price: number | undefined, kind: "input" | "read" | "write" | "output") =>
		row(
			`${name}, $${(price ?? 0).toFixed(2)} a million`,
			plain[kind].toLocaleString("en-US"),
			zip[kind].toLocaleString("en-US"),
		);
	const ratio = zip.money / plain.money;
	const prices = DEFAULT_PRICES;
	const rule = "-".repeat(60);
	return {
		ratio,
		lines: [
			row("the bill, in tokens", "Pi alone", "with pi-zip"),
			rule,
			tokens("uncached input", prices.input, "input"),
			tokens("cache reads", prices.read, "read"),
			tokens("cache writes", prices.write, "write"),
			tokens("output", prices.output, "output"),
			rule,
			row("in dollars", dollars(plain.money), dollars(zip.money)),
			row("pi-zip's share of the plain bill", "", ratio.toFixed(2)),
		],
	};
}
