/**
 * What is in force, and the only reader of the environment.
 *
 * Users need no setting. The variables below exist for tests; a value that is no number in range is ignored.
 */

export interface Settings {
	/** `PI_ZIP_OFF=1`: register nothing. */
	readonly off: boolean;
	/** `PI_ZIP_FOLD_MIN`: smallest output that is folded, in tokens. */
	readonly foldMin: number;
	/** `PI_ZIP_COLD_CAP`: the size a cold return folds down to, in tokens. */
	readonly target: number;
	/** `PI_ZIP_KEEP_LINES`: most key lines in a placeholder. */
	readonly keyLines: number;
	/** `PI_ZIP_INTURN_AGE`: age in requests from which an output of a protected turn may be folded. */
	readonly inTurnAge: number;
	/** `PI_ZIP_TTL_SECS`: lifetime of the prompt cache, whatever the model declares, in milliseconds. */
	readonly lifetime: number | undefined;
	/** `PI_ZIP_CACHE_STATS`: file of the learned lifetimes. */
	readonly cacheStats: string | undefined;
	/** `PI_ZIP_LEDGER`: file that gets one JSON line a decision. */
	readonly ledger: string | undefined;
	/** `PI_ZIP_TEST_ROOT`: the only folder that may be touched. */
	readonly testRoot: string | undefined;
	/** Retention that Pi asks the provider for. */
	readonly retention: "short" | "long";
}

type Environment = Readonly<Record<string, string | undefined>>;

export function readSettings(env: Environment = process.env): Settings {
	const seconds = number(env.PI_ZIP_TTL_SECS, 0, 86_400 * 7);
	return {
		off: env.PI_ZIP_OFF === "1",
		foldMin: whole(env.PI_ZIP_FOLD_MIN, 1, 1e9) ?? 500,
		target: whole(env.PI_ZIP_COLD_CAP, 0, 1e9) ?? 40_000,
		keyLines: whole(env.PI_ZIP_KEEP_LINES, 0, 50) ?? 8,
		inTurnAge: whole(env.PI_ZIP_INTURN_AGE, 0, 1e9) ?? 60,
		lifetime: seconds === undefined ? undefined : seconds * 1000,
		cacheStats: env.PI_ZIP_CACHE_STATS || undefined,
		ledger: env.PI_ZIP_LEDGER || undefined,
		testRoot: env.PI_ZIP_TEST_ROOT || undefined,
		retention: env.PI_CACHE_RETENTION === "long" ? "long" : "short",
	};
}

function whole(text: string | undefined, least: number, most: number): number | undefined {
	const value = number(text, least, most);
	return value === undefined ? undefined : Math.floor(value);
}

function number(text: string | undefined, least: number, most: number): number | undefined {
	if (text === undefined || text.trim() === "") return undefined;
	const value = Number(text);
	return value >= least && value <= most ? value : undefined;
}
