/**
 * A plan of the core tied to its session: which entries it folds, and which messages of the view those are.
 *
 * The core names entries by their place on the branch it was fed; once other calls have come between, only ids hold.
 */

import type { Plan, WireSituation } from "./asked.ts";
import { outputSize, outputText } from "./content.ts";
import type { Feed } from "./feed.ts";
import type { ExtensionContext, Message } from "./host.ts";
import { withStructure } from "./structure.ts";
import { type Placed, resultsIn } from "./view.ts";

/** A plan with what it takes to carry it out once the core is not at hand. */
export interface IdentifiedPlan extends Plan {
	/** Of each edit the entry that it folds. */
	readonly ids: readonly string[];
	readonly recallable: boolean;
}

export function identified(plan: Plan, { recallable }: WireSituation, feed: Feed): IdentifiedPlan {
	return { ...plan, recallable, ids: plan.edits.map(({ entry }) => feed.id(entry)) };
}

/**
 * Ties each edit to the message of the view that it replaces. Throws where the two do not belong together. A placeholder for
 * a text of at least `structureFrom` UTF-16 units says what that is made of.
 */
export function placeEdits(
	plan: IdentifiedPlan,
	session: ExtensionContext["sessionManager"],
	positions: Int32Array,
	view: readonly Message[],
	structureFrom: number,
): Placed[] {
	if (plan.edits.length === 0) return [];
	const results = resultsIn(view);
	return plan.edits.map(({ position, placeholder: short }, edit) => {
		const entryId = plan.ids[edit] ?? "";
		const index = positions[position] ?? -1;
		const result = results(index);
		const entry = session.getEntry(entryId);
		const original = outputSize(entry);
		if (!result || original === undefined) throw new Error(`entry ${entryId} is not in view`);
		const text = original.units >= structureFrom ? outputText(entry) : undefined;
		const placeholder = text === undefined ? short : withStructure(short, text);
		return { entryId, placeholder, ...original, ...result, index };
	});
}
