/** I4: a warm request below the warm floor is never edited. */

import assert from "node:assert/strict";
import { isWarm, newFolds } from "../world/edits.ts";
import { tokensOf } from "../world/model.ts";
import { EVENTS } from "../world/scenario.ts";
import { property } from "../world/seeds.ts";

// What was recorded elsewhere names a model that this provider never was.
const events = EVENTS.filter((event) => event !== "recorded");

/** Tokens of a request that is surely below the warm floor (20,000), whatever the core makes of them. */
const SMALL = 18_000;

property("I4 warm and small", 10, { events }, ({ requests }) => {
	let edited = 0;
	for (const [index] of requests.entries()) {
		const fresh = newFolds(requests, index);
		if (isWarm(requests, index) && tokensOf(requests[index]!.seen) < SMALL)
			assert.deepEqual(fresh, [], `request ${index} is warm and small`);
		else if (fresh.length > 0) edited += 1;
	}
	return edited;
});
