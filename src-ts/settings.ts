/**
 * What is in force, and the only reader of the environment.
 *
 * Users need no setting. What they may set stands in a file (`settings-file.ts`); the variables below exist for tests, go
 * before it, and are ignored where they hold no number in range. What is undefined has the core's default.
 */

import { count, tokens } from "./format.ts";
import { KEYS } from "./settings/keys.ts";
import {
	type FileSettings,
	type ReadFile,
	type Retention,
	readSettingsFile,
	SETTINGS_FILE,
	type Summaries,
	type Warming,
} from "./settings-file.ts";
import type { When } from "./summary/ahead.ts";

export interface Settings {
	/** `PI_ZIP_OFF=1`: register nothing. */
	readonly off: boolean;
	/** `PI_ZIP_FOLD_MIN`: smallest output that is folded, in tokens. */
	readonly foldMin: number | undefined;
	/** `PI_ZIP_COLD_CAP`: the size a cold return folds down to, in tokens. */
	readonly target: number | undefined;
	/** `PI_ZIP_KEEP_LINES`: most key lines in a placeholder. */
	readonly keyLines: number | undefined;
	/** `PI_ZIP_INTURN_AGE`: age in requests from which an output of a protected turn may be folded. */
	readonly inTurnAge: number | undefined;
	/** `PI_ZIP_TTL_SECS`: lifetime of the prompt cache, whatever the model declares, in milliseconds. */
	readonly lifetime: number | undefined;
	/** `PI_ZIP_CACHE_STATS`: file of the learned lifetimes. */
	readonly cacheStats: string | undefined;
	/** `PI_ZIP_LEDGER`: file that gets one JSON line a decision. */
	readonly ledger: string | undefined;
	/** `PI_ZIP_TEST_ROOT`: the only folder that may be touched. */
	readonly testRoot: string | undefined;
	/** Retention that Pi asks the provider for. */
	readonly retention: Retention;
	readonly models: FileSettings["models"];
	readonly summaries: Summaries;
	/** `PI_ZIP_SUMMARIES_WHEN`: `ahead`, `return`, `both` or `never`: when summaries are written that Pi did not ask for. */
	readonly summariesWhen: When;
	readonly quiet: boolean;
	/** Who writes summaries and reads originals, as `provider/id`, tried in order; empty for the model in use. */
	readonly summaryModels: readonly string[];
	/** Whether refreshes of an idle cache are decided on, or left to Pi. */
	readonly warming: Warming;
	/** Secrets are taken out of what goes to a summariser or a reader and of what comes from past sessions. */
	readonly redact: boolean;
	/** Size from which on a placeholder gets a line on the output's structure, in UTF-16 units. */
	readonly structureFrom: number;
}

const WHEN: readonly When[] = ["ahead", "return", "both", "never"];

type Environment = Readonly<Record<string, string | undefined>>;

export function readSettings(env: Environment = process.env, { settings: file }: ReadFile = NO_FILE): Settings {
	const seconds = number(env.PI_ZIP_TTL_SECS, 0, 86_400 * 7);
	return {
		off: env.PI_ZIP_OFF === "1",
		foldMin: whole(env.PI_ZIP_FOLD_MIN, 1, 1e9),
		target: whole(env.PI_ZIP_COLD_CAP, 0, 1e9) ?? file.target,
		keyLines: whole(env.PI_ZIP_KEEP_LINES, 0, 50),
		inTurnAge: whole(env.PI_ZIP_INTURN_AGE, 0, 1e9),
		lifetime: seconds === undefined ? undefined : seconds * 1000,
		cacheStats: env.PI_ZIP_CACHE_STATS || undefined,
		ledger: env.PI_ZIP_LEDGER || undefined,
		testRoot: env.PI_ZIP_TEST_ROOT || undefined,
		retention: file.cacheRetention ?? (env.PI_CACHE_RETENTION === "long" ? "long" : "short"),
		models: file.models,
		summaries: file.summaries ?? KEYS.summaries.default,
		summariesWhen: WHEN.find((when) => when === env.PI_ZIP_SUMMARIES_WHEN) ?? "both",
		quiet: (file.notices ?? KEYS.notices.default) === "quiet",
		summaryModels: file.summaryModels ?? KEYS.summaryModels.default,
		warming: file.warming ?? KEYS.warming.default,
		redact: file.redact ?? KEYS.redact.default,
		structureFrom: file.structureFrom ?? KEYS.structureFrom.default,
	};
}

const NO_FILE = readSettingsFile(undefined);

/** The settings that hold for a model. */
export function settingsFor(
	settings: Settings,
	model: { provider: string; id: string } | undefined,
): Pick<Settings, "target" | "retention"> {
	const own = model && settings.models.get(`${model.provider}/${model.id}`);
	return { target: own?.target ?? settings.target, retention: own?.cacheRetention ?? settings.retention };
}

/** What `/zip` shows of them. `target` is the one in force, in tokens. */
export function settingsLines(settings: Settings, faults: readonly string[], target: number): string[] {
	const { summaries, summaryModels, warming, redact, structureFrom, retention, models, quiet } = settings;
	const writers = summaryModels.length > 0 ? ` by ${summaryModels.join(", ")}` : "";
	const single = models.size > 0 ? `, ${count(models.size, "model")} with settings of its own` : "";
	return [
		`settings: target ${tokens(target)}, cache retention ${retention}${single}`,
		`  summaries ${summaries}${writers}, notices ${quiet ? "quiet" : "line"}`,
		`  warming ${warming}, redact ${redact}, structure from ${structureFrom} characters`,
		...faults.map((fault) => `${SETTINGS_FILE}: ${fault}`),
	];
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
