/**
 * The parts of a bill, in the order in which the lab gives them, with what they are called and why they arise.
 */

export interface Part {
	/** Name in style sheets. */
	key: string;
	name: string;
	why: string;
}

export const PARTS: readonly Part[] = [
	{ key: "read", name: "Read from cache", why: "sent before and still in the cache" },
	{ key: "new", name: "New", why: "came since the last request" },
	{ key: "expired", name: "Written again: cache expired", why: "sent before, but the cache had gone cold" },
	{ key: "ours", name: "Written again: a fold", why: "sent before, but pi-zip changed what stands in front of it" },
	{
		key: "others",
		name: "Written again: other changes",
		why: "a fold taken back, a change of model or tools, a compaction, another extension",
	},
	{ key: "unexplained", name: "Unexplained", why: "sent before, and no cause is known" },
	{ key: "output", name: "Answers", why: "what the model wrote" },
];

/** Indices of `PARTS`, from the bottom of a bar to its top. */
export const STACK: readonly number[] = [0, 1, 6, 4, 3, 2, 5];
