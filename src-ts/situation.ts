/**
 * The circumstances of a request, read off Pi: what the core needs to know beside the session.
 */

import { isRecord } from "./content.ts";
import type { Plan, WireSituation } from "./core.ts";
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

/** Dollars per million tokens. */
export interface Prices {
	readonly input: number;
	readonly output: number;
	readonly read: number;
	readonly write: number;
}

/** The model's declared prices. */
export function pricesOf(ctx: ExtensionContext): Prices | undefined {
	const cost = physicalModel(ctx)?.cost;
	return cost && { input: cost.input, output: cost.output, read: cost.cacheRead, write: cost.cacheWrite };
}

/** Dollars of a token of input. */
export function inputPrice(ctx: ExtensionContext): number | undefined {
	const prices = pricesOf(ctx);
	return prices && prices.input / PRICED_TOKENS;
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
	const cost = physicalModel(ctx)?.cost;
	const dollars = (size: number) => {
		const tiers = (cost?.tiers ?? []).filter((tier) => size > tier.inputTokensAbove);
		const rates = tiers.sort((one, other) => other.inputTokensAbove - one.inputTokensAbove)[0] ?? cost;
		const { input = 0, cacheWrite = 0 } = rates ?? {};
		const isHour = cache.retention === "long" && cache.kind === "explicit" && cacheWrite > 0;
		return (size * (isHour ? input * HOUR_RATIO : cacheWrite || input)) / PRICED_TOKENS;
	};
	const prices = { before: dollars(before), after: dollars(after), inDollars: true };
	return prices.before > 0 ? prices : { before, after, inDollars: false };
}

/** Whether Pi marks requests to a model for the cache though its API is a general one. */
function hasMarks(model: Model | undefined): boolean {
	const compat: unknown = model?.compat;
	return isRecord(compat) && compat.cacheControlFormat === "anthropic";
}

function seconds(declared: number | undefined): number | undefined {
	return declared === undefined ? undefined : declared * MILLIS;
}
