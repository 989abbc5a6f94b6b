/**
 * The keys of the settings file: the one declaration of what they are called, hold, mean and default to. The reader of the
 * file, its published schema and the list of `/zip settings` follow from it.
 */

export type Value =
	/** A whole number, both bounds included. */
	| { readonly kind: "number"; readonly least: number; readonly most: number; readonly unit: string }
	| { readonly kind: "choice"; readonly names: readonly string[] }
	| { readonly kind: "flag" }
	/** Models, as `provider/id`, in order. */
	| { readonly kind: "models" }
	/** Settings of single models, by `provider/id`. */
	| { readonly kind: "byModel" };

export interface Key {
	readonly value: Value;
	/** What it is, in a sentence. */
	readonly what: string;
	/** Undefined: what Pi's environment says. */
	readonly default: number | string | boolean | readonly string[] | object | undefined;
}

const target: Key = {
	value: { kind: "number", least: 1_000, most: 10_000_000, unit: "tokens" },
	what: "What a cold return folds down to, in tokens.",
	default: 40_000,
};

const cacheRetention: Key = {
	value: { kind: "choice", names: ["short", "long", "none"] },
	what: "How long your provider keeps its cache. Goes before PI_CACHE_RETENTION.",
	default: undefined,
};

/** What may be set for a single model. */
export const MODEL_KEYS: Readonly<Record<string, Key>> = { target, cacheRetention };

export const KEYS = {
	target,
	cacheRetention,
	models: {
		value: { kind: "byModel" },
		what: "target and cacheRetention of single models, by provider/id.",
		default: {},
	},
	summaries: {
		value: { kind: "choice", names: ["cached", "uncached", "off"] },
		what: "How summaries are written: from the warm cache, by requests of their own, or by Pi.",
		default: "cached",
	},
	summaryModels: {
		value: { kind: "models" },
		what: "Models that write summaries and read originals, tried in order. Empty: the one in use.",
		default: [],
	},
	warming: {
		value: { kind: "choice", names: ["decide", "leave"] },
		what: "Whether pi-zip ends refreshes of an idle cache that do not pay, or leaves them to Pi.",
		default: "decide",
	},
	redact: {
		value: { kind: "flag" },
		what: "Take out what looks like a secret on the way to a summariser, a reader or another session.",
		default: true,
	},
	structureFrom: {
		value: { kind: "number", least: 1_000, most: 10_000_000, unit: "characters" },
		what: "Size from which on a folded output gets a line on its structure, in characters.",
		default: 32_000,
	},
	notices: {
		value: { kind: "choice", names: ["line", "quiet"] },
		what: "A line under the prompt that tells of folds, or none.",
		default: "line",
	},
} as const satisfies Readonly<Record<string, Key>>;

/** Named by editors that check the file; means nothing here. */
export const SCHEMA_KEY = "$schema";
