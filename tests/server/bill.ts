/** What the scripted provider charges: tokens by kind, and money at the prices of the model. */
import type { CacheUse } from "./cache.ts";

/** Dollars per million tokens. */
export interface Prices {
	input: number;
	read: number;
	/** Short tier; the hour tier costs twice the input price. Undefined: writes cost what input costs. */
	write?: number;
	output: number;
}

export const DEFAULT_PRICES: Prices = { input: 3, read: 0.3, write: 3.75, output: 15 };

/** The hour tier's price over the input price, from the provider's price list. */
const HOUR_WRITE_FACTOR = 2;

export interface Charge extends CacheUse {
	output: number;
	/** Dollars. */
	money: number;
}

export function charge(use: CacheUse, output: number, prices: Prices): Charge {
	const perMillion =
		use.input * prices.input +
		use.read * prices.read +
		use.write * (prices.write ?? prices.input) +
		use.writeHour * prices.input * HOUR_WRITE_FACTOR +
		output * prices.output;
	return { ...use, output, money: perMillion / 1_000_000 };
}

export function total(charges: Charge[]): Charge {
	const sum: Charge = { input: 0, read: 0, write: 0, writeHour: 0, output: 0, money: 0 };
	for (const one of charges) {
		sum.input += one.input;
		sum.read += one.read;
		sum.write += one.write;
		sum.writeHour += one.writeHour;
		sum.output += one.output;
		sum.money += one.money;
	}
	return sum;
}
