/**
 * The circumstances of a request, read off Pi: what the core needs to know beside the session.
 */

import type { Plan, WireSituation } from "./asked.ts";
import { isRecord } from "./content.ts";
import { isFoldAsked } from "./folds/standing.ts";
import { compactionOf, type ExtensionAPI, type ExtensionContext, type Model, physicalModel } from "./host.ts";
import type { Cost } from "./notices.ts";
import { RECALL_TOOL } from "./recall.ts";
import { type Settings, settingsFor } from "./settings.ts";

const MILLIS = 1000;

/** What this process knows of the last request. */
export interface LastRequest {
	/** When it was answered, in milliseconds since the epoch. */
	readonly at: number;
	/** The model that was selected then, as `provider/id`. */
	readonly selected: string | undefined;
	/** The model that answered. */
	readonly answered: { readonly provider: string; readonly model: string };
}

export function selectedModel(ctx: ExtensionContext): string | undefined {
	return ctx.model && `${ctx.model.provider}/${ctx.model.id}`;
}

export function situationOf(
	pi: Pick<ExtensionAPI, "getActiveTools" | "getSettings">,
	ctx: ExtensionContext,
	settings: Settings,
	last: LastRequest | undefined,
	learned: (model: { provider: string; model: string } | undefined) => Partial<WireSituation>,
): WireSituation {
	const model = physicalModel(ctx);
	// Whoever answers may go by another name than the selected model; as long as the same one is selected, the cache is
	// the one of whoever answered.
	const isSame = last !== undefined && last.selected === selectedModel(ctx);
	const physical = model && { provider: model.provider, model: model.id };
	return {
		now: Date.now(),
		touched: last?.at,
		model: isSame ? undefined : physical,
		retention: settingsFor(settings, model).retention,
		declaredShort: seconds(model?.promptCache?.short),
		declaredLong: seconds(model?.promptCache?.long),
		// Asked to fold as at a cold return: nothing is taken for cached.
		lifetime: isFoldAsked(ctx.sessionManager) ? 0 : settings.lifetime,
		api: model?.api ?? "",
		marks: hasMarks(model),
		...learned(isSame ? last.answered : physical),
		recallable: pi.getActiveTools().includes(RECALL_TOOL),
		blind: model?.input?.includes("image") === false,
		...compactionOf(pi.getSettings(), model),
		prices: tariffOf(model),
	};
}

/** What a cold return aims at under the model in use, in real tokens; undefined for the core's default. */
export function targetOf(ctx: ExtensionContext, settings: Settings): number | undefined {
	return settingsFor(settings, physicalModel(ctx)).target;
}

/** Dollars of a token of input. */
export function inputPrice(ctx: ExtensionContext): number | undefined {
	const cost = physicalModel(ctx)?.cost;
	return cost && cost.input / PRICED_TOKENS;
}

/** What the model declares, and the first of its dearer tiers, as the core takes them. */
function tariffOf(model: Model | undefined): number[] {
	if (!model?.cost) return [];
	const { tiers = [], ...base } = model.cost;
	const [tier] = [...tiers].sort((one, other) => one.inputTokensAbove - other.inputTokensAbove);
	const prices = (cost: typeof base) => [cost.input, cost.output, cost.cacheRead, cost.cacheWrite];
	return [...prices(base), ...(tier ? [tier.inputTokensAbove, ...prices(tier)] : [])];
}

/** Tokens of Pi's prices. */
const PRICED_TOKENS = 1e6;
/** Price of a token written for an hour over that of input, as Pi reckons it. */
const HOUR_RATIO = 2;

/**
 * What the context of a cold return costs as it was and as it is folded: each token written, or, where writing costs
 * nothing of its own, put in. Without declared prices the sizes stand for it.
 */
export function costOf(
	ctx: ExtensionContext,
	{ before, after, cache }: Pick<Plan, "before" | "after" | "cache">,
): Cost {
	const dollars = (size: number) => size * ratesOf(ctx, size, cache).anew;
	const prices = { before: dollars(before), after: dollars(after), inDollars: true };
	return prices.before > 0 ? prices : { before, after, inDollars: false };
}

/**
 * What a warm request costs more in dollars if it has `after` tokens of which the cache gives `read`, instead of `before`
 * that it gives all. Zero where no prices are declared.
 */
export function costOfRewrite(
	ctx: ExtensionContext,
	{ before, after, read, cache }: { before: number; after: number; read: number; cache: Plan["cache"] },
): number {
	const rates = ratesOf(ctx, after, cache);
	const kept = Math.min(read, after);
	return (after - kept) * rates.anew + kept * rates.read - before * ratesOf(ctx, before, cache).read;
}

/** Dollars of a token in a request of `size` tokens: read from the cache, and written to it or, where that has no price, put in. */
function ratesOf(
	ctx: ExtensionContext,
	size: number,
	{ retention, kind }: Plan["cache"],
): { read: number; anew: number } {
	const cost = physicalModel(ctx)?.cost;
	const tiers = (cost?.tiers ?? []).filter((tier) => size > tier.inputTokensAbove);
	const rates = tiers.sort((one, other) => other.inputTokensAbove - one.inputTokensAbove)[0] ?? cost;
	const { input = 0, cacheRead = 0, cacheWrite = 0 } = rates ?? {};
	const isHour = retention === "long" && kind === "explicit" && cacheWrite > 0;
	const anew = isHour ? input * HOUR_RATIO : cacheWrite || input;
	return { read: cacheRead / PRICED_TOKENS, anew: anew / PRICED_TOKENS };
}

/** Whether Pi marks requests to a model for the cache though its API is a general one. */
function hasMarks(model: Model | undefined): boolean {
	const compat: unknown = model?.compat;
	return isRecord(compat) && compat.cacheControlFormat === "anthropic";
}

function seconds(declared: number | undefined): number | undefined {
	return declared === undefined ? undefined : declared * MILLIS;
}
