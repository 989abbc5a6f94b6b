/**
 * What models declare of their prices: as Pi keeps it in its agent folder, or as the command line says.
 *
 * Pi's own catalogue lies inside Pi and is not read here. What Pi has fetched of newer catalogues it keeps in
 * `models-store.json`, and what the user declares in `models.json`, which counts more. In Pi the extension hands in the
 * prices that are in force there.
 */

import { join } from "node:path";
import { isRecord, type Loose } from "../src-ts/content.ts";
import { readText } from "./disk.ts";
import { Misuse } from "./failure.ts";
import { agentFolder } from "./sessions.ts";

/** `provider/model` to the cost as Pi's files write it. */
type Prices = Record<string, Loose>;

/** Comments and commas that Pi allows in `models.json`, and texts, which stay. */
const COMMENTS = /"(?:\\.|[^"\\])*"|\/\/[^\n]*/g;
const LAST_COMMAS = /"(?:\\.|[^"\\])*"|,(?=\s*[}\]])/g;

/** Declared prices as JSON; `given` is what the command line says of them. */
export function declaredPrices(given: string | undefined): string {
	return given === undefined ? JSON.stringify(found()) : checked(given);
}

function checked(given: string): string {
	try {
		const prices: unknown = JSON.parse(given);
		if (isRecord(prices) && Object.values(prices).every(isRecord)) return given;
	} catch {
		// The same is wrong with it.
	}
	throw new Misuse('--prices takes {"provider/model": {"input": …, "output": …, "cacheRead": …, "cacheWrite": …}, …}');
}

function found(): Prices {
	const prices: Prices = Object.create(null);
	for (const [provider, known] of Object.entries(read("models-store.json"))) {
		for (const model of models(known)) add(prices, provider, model.id, model.cost);
	}
	const { providers } = read("models.json");
	for (const [provider, own] of Object.entries(isRecord(providers) ? providers : {})) {
		for (const model of models(own)) add(prices, provider, model.id, model.cost);
		const overrides = isRecord(own) && isRecord(own.modelOverrides) ? own.modelOverrides : {};
		for (const [id, model] of Object.entries(overrides)) add(prices, provider, id, isRecord(model) && model.cost);
	}
	return prices;
}

/** Fields that are declared later replace those from before, one by one. */
function add(prices: Prices, provider: string, id: unknown, cost: unknown): void {
	if (typeof id !== "string" || !isRecord(cost)) return;
	const name = `${provider}/${id}`;
	prices[name] = { ...prices[name], ...cost };
}

function models(provider: unknown): Loose[] {
	return isRecord(provider) && Array.isArray(provider.models) ? provider.models.filter(isRecord) : [];
}

/** A file that cannot be read declares nothing; Pi itself tells of it. */
function read(name: string): Loose {
	try {
		const keepTexts = (match: string) => (match.startsWith('"') ? match : "");
		const text = readText(join(agentFolder(), name)).replace(/^\ufeff/, "");
		const plain = text.replace(COMMENTS, keepTexts).replace(LAST_COMMAS, keepTexts);
		const content: unknown = JSON.parse(plain);
		return isRecord(content) ? content : {};
	} catch {
		return {};
	}
}
