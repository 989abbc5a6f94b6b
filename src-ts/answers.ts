/**
 * What the core's lists of numbers mean: folds, figures and fixed parts cross as numbers, since a struct for each takes longer
 * than the answer. Their order is the module's, which is named beside each.
 */

/** One fold. */
export interface PlannedEdit {
	/** Position of the tool result on the branch. */
	readonly entry: number;
	/** Index of its message in the projection. */
	readonly position: number;
	/** Real tokens that the view loses. */
	readonly tokens: number;
	readonly handle: string;
	/** What produced the output, for the user to read. */
	readonly subject: string;
	readonly placeholder: string;
}

/**
 * What a decision was made from, as `Core.figures` of the module orders it. Tokens are real ones; prices and money are in
 * the unit of the model's prices, money times tokens.
 */
const FIGURES = [
	/** Prices of a token: input, output, read from the cache, written to it. */
	"input",
	"output",
	"read",
	"write",
	/** Context size above which prices are dearer; zero where there is none. */
	"dearerAbove",
	/** Tokens by which a request grows. */
	"growth",
	/** Requests since the cache was last lost, and those expected to come before it is lost again. */
	"behind",
	"ahead",
	/** Outputs that may be folded and are worth it. */
	"candidates",
	/** The best edit, made or not: tokens it takes out of the view, tokens written again for it, recalls by the mean. */
	"saved",
	"rewritten",
	"recalls",
	/** What it saves in money: in this request, in later ones, by a later compaction, by reaching dearer prices later. */
	"savesNow",
	"savesLater",
	"savesCompaction",
	"savesTier",
	/** What it costs in money: recalls, and the rewrite times the chance that the cache lives. */
	"costsRecalls",
	"costsRewrite",
	/** Requests after which it is worth looking again, at least one. */
	"again",
] as const;

export type Figures = Readonly<Record<(typeof FIGURES)[number], number>>;

export function figuresOf(numbers: Float64Array): Figures {
	return Object.fromEntries(FIGURES.map((name, at) => [name, numbers[at] ?? 0])) as Figures;
}

/** Numbers in front of a fixed part's parts, and of each: see `Core.summary` of the module. */
const NUMBERS_IN_FRONT = 3;
const NUMBERS_A_PART = 5;
const WORDS = 0;
const TEXT = 1;
/** The arguments by their kinds, which follow that of texts. */
const ARGUMENTS = ["command", "path", "file_path"];

/** The fixed part of a summary: its own words, and spans of texts of the session in UTF-16 units. */
export interface FixedPart {
	readonly outputs: number;
	readonly requests: number;
	readonly parts: readonly (string | Quote)[];
}

export interface Quote {
	/** Position on the branch. */
	readonly entry: number;
	/** The call and its argument that is quoted; absent where it is the entry's own text. */
	readonly argument?: { readonly call: number; readonly name: string };
	readonly start: number;
	readonly end: number;
}

export function fixedPart(numbers: Uint32Array): FixedPart {
	const [outputs = 0, requests = 0, count = 0] = numbers;
	const parts: (string | Quote)[] = [];
	let spoken = NUMBERS_IN_FRONT + count * NUMBERS_A_PART;
	for (let at = NUMBERS_IN_FRONT; parts.length < count; at += NUMBERS_A_PART) {
		const [kind = 0, entry = 0, call = 0, start = 0, end = 0] = numbers.subarray(at, at + NUMBERS_A_PART);
		if (kind === WORDS) {
			parts.push(String.fromCharCode(...numbers.subarray(spoken, spoken + end)));
			spoken += end;
		} else if (kind === TEXT) parts.push({ entry, start, end });
		else parts.push({ entry, argument: { call, name: ARGUMENTS[kind - TEXT - 1] ?? "" }, start, end });
	}
	return { outputs, requests, parts };
}

/** Numbers of an edit: see `Core.editNumbers` of the module. */
const NUMBERS_AN_EDIT = 6;

export function editsOf(numbers: Uint32Array, texts: string): PlannedEdit[] {
	const edits: PlannedEdit[] = [];
	let end = 0;
	const number = (at: number) => numbers[at] ?? 0;
	const text = (units: number) => {
		end += units;
		return texts.slice(end - units, end);
	};
	for (let at = 0; at < numbers.length; at += NUMBERS_AN_EDIT) {
		edits.push({
			entry: number(at),
			position: number(at + 1),
			tokens: number(at + 2),
			handle: text(number(at + 3)),
			subject: text(number(at + 4)),
			placeholder: text(number(at + 5)),
		});
	}
	return edits;
}
