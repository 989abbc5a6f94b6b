/** I4: a warm request is never edited, however large it is. */

import assert from "node:assert/strict";
import { isWarm, newFolds } from "../world/edits.ts";
import { EVENTS } from "../world/scenario.ts";
import { property } from "../world/seeds.ts";

// What was recorded elsewhere names a model that this provider never was.
const events = EVENTS.filter((event) => event !== "recorded");

property("I4 warm and small", 10, { events }, ({ requests }) => {
	let edited = 0;
	for (const [index] of requests.entries()) {
		const fresh = newFolds(requests, index);
		if (isWarm(requests, index)) assert.deepEqual(fresh, [], `request ${index} is warm`);
		else if (fresh.length > 0) edited += 1;
	}
	return edited;
});
