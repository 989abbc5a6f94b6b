/**
 * What a model asked of `zip_recall`, read leniently: models write handles with the words around them, fill optional
 * fields with nothing, and send numbers as text. What has no sensible reading is refused with a sentence to act on.
 */

export interface LineRange {
	/** One-based, both included. */
	first: number;
	last: number;
}

export interface RecallRequest {
	/** In the order asked, each once. */
	handles: string[];
	grep?: string;
	range?: LineRange;
	/** In UTF-16 units of the joined selections of all handles. */
	offset: number;
	/** Units that one answer may hold; of a question those that may be read for it. */
	limit: number;
	/** What a reader is to find in the originals. */
	question?: string;
}

/** Units of an answer where nothing is said: about 5,000 tokens, a long file read. */
export const DEFAULT_PAGE = 20_000;
/** Units of an answer at most: what Pi's own tools stop at. */
export const LARGEST_PAGE = 50_000;
/**
 * Units that are read for a question where nothing is said: 10,000 tokens at three characters, which text of real sessions
 * has; and at most.
 */
export const DEFAULT_READING = 30_000;
const LARGEST_READING = 300_000;
/** Units of a question. */
const QUESTION_UNITS = 2_000;

/** Positions cross into the module as 32-bit numbers. No string is as long. */
const FARTHEST = 0xffff_ffff;

/** A handle is a number in base 36, padded; behind it may stand the number of a part, and the name of a past session. */
const HANDLE = /\b[0-9a-z]{10}(?:\.\d{1,5})?(?:@[0-9a-z]{1,40})?\b/g;
/** A handle as placeholders name it; other words of ten letters may stand around it. */
const NAMED_HANDLE = /\bhandles?\b[^0-9a-z]*([0-9a-z]{10}(?:\.\d{1,5})?(?:@[0-9a-z]{1,40})?)\b/g;

export function readRequest(args: Readonly<Record<string, unknown>>): RecallRequest | { refusal: string } {
	const handles = [...new Set([...readHandles(args.handle), ...readHandles(args.handles)])];
	if (handles.length === 0) {
		return { refusal: 'give the handle that stands in the placeholder, as in {"handle":"0abc123def"}' };
	}
	const range = readRange(args.range);
	if (range && "refusal" in range) return range;
	const offset = readCount(args.offset);
	if (offset === undefined) return { refusal: `offset ${shown(args.offset)} is no whole number from 0` };
	const limit = readCount(args.limit);
	if (limit === undefined)
		return { refusal: `limit ${shown(args.limit)} is no whole number from 1 to ${LARGEST_PAGE}` };
	const question =
		typeof args.question === "string" ? args.question.trim().slice(0, QUESTION_UNITS).toWellFormed() : "";
	const [usual, most] = question === "" ? [DEFAULT_PAGE, LARGEST_PAGE] : [DEFAULT_READING, LARGEST_READING];
	const grep = typeof args.grep === "string" && args.grep !== "" ? args.grep : undefined;
	return { handles, grep, range, offset, limit: Math.min(limit || usual, most), ...(question && { question }) };
}

/** The call that asks for `request`, as a model would write it. */
export function callFor(request: RecallRequest): string {
	const { handles, grep, range, offset, limit } = request;
	const args = {
		...(handles.length === 1 ? { handle: handles[0] } : { handles }),
		grep,
		range: range && rangeText(range),
		offset: offset || undefined,
		limit: limit === DEFAULT_PAGE ? undefined : limit,
	};
	return `zip_recall ${JSON.stringify(args)}`;
}

/** As `readRange` takes it. */
export function rangeText({ first, last }: LineRange): string {
	if (last === FARTHEST) return `${first}-`;
	return first === last ? `${first}` : `${first}-${last}`;
}

/** Handles that one call may name: more than fit a page, and few enough to answer for each. */
const MOST_HANDLES = 50;
/** Words that are answered for where no handle was given at all. */
const MOST_UNKNOWN_WORDS = 5;
/** UTF-16 units of what may be a mistyped handle. */
const WORD_UNITS = 40;

function readHandles(value: unknown): string[] {
	if (Array.isArray(value)) return value.slice(0, MOST_HANDLES).flatMap(readHandles).slice(0, MOST_HANDLES);
	if (typeof value !== "string" && typeof value !== "number") return [];
	const text = String(value).toLowerCase();
	const named = [...text.matchAll(NAMED_HANDLE)].map((match) => match[1]!);
	if (named.length > 0) return named.slice(0, MOST_HANDLES);
	const whole = text.match(HANDLE);
	if (whole) return whole.slice(0, MOST_HANDLES);
	// No handle at all: what was given, so that the answer can name it and its nearest.
	const words = (text.match(/[0-9a-z]+/g) ?? []).filter((word) => !/^handles?$/.test(word));
	return words.slice(0, MOST_UNKNOWN_WORDS).map((word) => word.slice(0, WORD_UNITS));
}

/** `120-240`, `120-`, `-40` (the first forty), `120`; other dashes, `:` and `..`, and words around are tolerated. */
function readRange(value: unknown): LineRange | undefined | { refusal: string } {
	if (value === undefined || value === null) return undefined;
	const text = Array.isArray(value) ? value.join("-") : String(value);
	if (text.trim() === "") return undefined;
	const bare = text.toLowerCase().replace(/lines?|[l\s"'[\]()]/g, "");
	const match = /^(\d*)(-|–|—|:|\.\.+|,|to)?(\d*)$/.exec(bare);
	const [, from = "", dash, to = ""] = match ?? [];
	if (!match || (from === "" && to === "")) {
		return { refusal: `range ${shown(value)} is none: write "120-240", "120-", "-40" or "120" (line numbers)` };
	}
	const first = Math.min(Math.max(Number(from), 1), FARTHEST);
	const end = dash === undefined ? from : to;
	const last = end === "" ? FARTHEST : Math.min(Number(end), FARTHEST);
	if (last < first)
		return { refusal: `range ${shown(value)} holds no line: it ends before it begins (lines count from 1)` };
	return { first, last };
}

/** A whole number from 0, which absence counts as; undefined for anything else. */
function readCount(value: unknown): number | undefined {
	if (value === undefined || value === null || value === "") return 0;
	const count = typeof value === "string" ? Number(value) : value;
	if (typeof count !== "number" || !Number.isInteger(count) || count < 0) return undefined;
	return Math.min(count, FARTHEST);
}

function shown(value: unknown): string {
	return oneLine(JSON.stringify(value) ?? String(value), 60);
}

/** `text` on one line of at most `most` units, without control characters and without half a surrogate pair. */
export function oneLine(text: string, most: number): string {
	const flat = text
		.slice(0, most * 4)
		.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ")
		.trim();
	const cut = flat.slice(0, most - 1).replace(/[\ud800-\udbff]$/, "");
	return (flat.length > most ? `${cut}…` : flat).toWellFormed();
}
