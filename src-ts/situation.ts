/**
 * The circumstances of a request, read off Pi: what the core needs to know beside the session.
 */

import type { WireSituation } from "./core.ts";
import { compactionTrigger, type ExtensionAPI, type ExtensionContext, physicalModel } from "./host.ts";
import { RECALL_TOOL } from "./recall.ts";
import type { Settings } from "./settings.ts";

const MILLIS = 1000;

export function situationOf(
	pi: Pick<ExtensionAPI, "getActiveTools" | "getSettings">,
	ctx: ExtensionContext,
	settings: Settings,
	touched: number | undefined,
): WireSituation {
	const model = physicalModel(ctx);
	return {
		now: Date.now(),
		touched,
		model: model && { provider: model.provider, model: model.id },
		retention: settings.retention,
		declaredShort: seconds(model?.promptCache?.short),
		declaredLong: seconds(model?.promptCache?.long),
		lifetime: settings.lifetime,
		recallable: pi.getActiveTools().includes(RECALL_TOOL),
		trigger: compactionTrigger(pi.getSettings(), ctx.model),
	};
}

function seconds(declared: number | undefined): number | undefined {
	return declared === undefined ? undefined : declared * MILLIS;
}
