/**
 * Reads a query into terms, and finds a term in a text: words as people write them, identifiers whole and by their
 * pieces, and quoted phrases.
 *
 * All looking is done in a lower-case copy, whose positions are the original's; what counts as the edge of a word is
 * judged by the original, since `parseTotal` has one in the middle. Time is linear in the text.
 */

export interface Term {
	/** In lower case. */
	readonly text: string;
	readonly kind: "phrase" | "word" | "name" | "piece";
}

/** Terms of a query: beyond these it is pasted text, and the first of them say what it is about. */
const MOST_TERMS = 24;
/** A piece of an identifier is a weaker sign than a word that was asked for. */
const WEIGHTS = { phrase: 1.5, word: 1, name: 1.5, piece: 0.5 } as const;
/** An occurrence at the beginning of a longer word: `test` in `tests`. */
const PREFIX_WEIGHT = 0.4;

/** Between the pieces of a name: a character that no text has much use for. */
const JOINT = "\u0001";
const JOINTS = /\u0001/g;

/** Words of English that say nothing of what is looked for; they count where nothing else was given. */
const EMPTY_WORDS = new Set(
	"a an and are as at be by did do does for from had has have how i in is it me my of on or that the this to was we were what when where which who why with you".split(
		" ",
	),
);

const PHRASE = /"([^"]+)"|“([^”]+)”/gu;
const SURROUNDINGS = /^[\s.,;:!?()[\]{}<>'`…]+|[\s.,;:!?()[\]{}<>'`…]+$/gu;
/** Pieces of an identifier: by what is no letter or digit, by case, and between letters and digits. */
const PIECES = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{M}]+|\p{Lu}|\p{N}+/gu;

export function readQuery(query: string): Term[] {
	const terms = new Map<string, Term>();
	const add = (text: string, kind: Term["kind"]) => {
		const lower = lowered(text);
		if (lower !== "" && !terms.has(lower) && terms.size < MOST_TERMS) terms.set(lower, { text: lower, kind });
	};
	const words = query
		.replace(PHRASE, (_, straight?: string, curly?: string) => {
			add((straight ?? curly ?? "").trim(), "phrase");
			return " ";
		})
		.split(/\s+/u)
		.map((word) => word.replace(SURROUNDINGS, "").replaceAll('"', ""))
		.filter((word) => word !== "");
	const telling = words.filter((word) => !EMPTY_WORDS.has(word.toLowerCase()));
	if (telling.length === 0 && terms.size > 0) return [...terms.values()];
	for (const word of telling.length > 0 ? telling : words) add(word, "word");
	for (const word of telling) {
		const pieces = word.match(PIECES) ?? [];
		if (pieces.length < 2) continue;
		// An identifier however it is written: its pieces with nothing or one mark between them.
		add(pieces.join(JOINT), "name");
		// One letter or digit says nothing.
		for (const piece of pieces) if (piece.length > 1) add(piece, "piece");
	}
	return [...terms.values()];
}

/**
 * Matches each text that holds a term of the query, and few others: a text is looked at once, without a copy. Undefined
 * where terms are not ASCII, of whose case expressions and `lowered` think differently.
 */
export function prefilter(terms: readonly Term[]): RegExp | undefined {
	if (!terms.every(({ text }) => /^[\x00-\x7f]+$/.test(text))) return undefined;
	const plain = terms.filter(({ kind }) => kind !== "name").map(({ text }) => text);
	const shortest = plain.filter((text) => !plain.some((other) => other !== text && text.includes(other)));
	// A name's pieces are terms of their own, but for pieces of one letter.
	const names = terms.filter(
		({ kind, text }) => kind === "name" && !text.split(JOINT).some((it) => plain.includes(it)),
	);
	const expressions = [...shortest.map(escaped), ...names.map(({ text }) => text.replace(JOINTS, "[-_.]?"))];
	return new RegExp(expressions.join("|"), "i");
}

/** A text as an expression that matches it; ASCII alone. */
export function escaped(text: string): string {
	return text.replace(/[^\w\s]/g, "\\$&");
}

export function weightOf({ kind }: Term): number {
	return WEIGHTS[kind];
}

/** The one letter whose lower case is longer, by Unicode's SpecialCasing: a capital I with a dot. */
const DOTTED = "\u0130";

/** In lower case, unit for unit: a letter whose lower case is longer stays as it is. */
export function lowered(text: string): string {
	const lower = text.toLowerCase();
	if (lower.length === text.length) return lower;
	const pieces = text.split(DOTTED);
	return pieces.map((piece) => piece.toLowerCase()).join(DOTTED);
}

/**
 * Calls `found` with each place where `term` stands, and how much it counts there, until that answers false. `lower` is
 * `text` in lower case.
 */
export function findTerm(
	text: string,
	lower: string,
	term: Term,
	found: (at: number, weight: number) => boolean,
): void {
	if (term.kind === "name") {
		if (!term.text.split(JOINT).every((piece) => lower.includes(piece))) return;
		for (const match of lower.matchAll(expressionOf(term))) {
			const weight = weightAt(text, match.index, match.index + match[0].length);
			if (weight > 0 && !found(match.index, weight)) return;
		}
		return;
	}
	const size = term.text.length;
	for (let at = lower.indexOf(term.text); at >= 0; at = lower.indexOf(term.text, at + size)) {
		const weight = term.kind === "phrase" ? 1 : weightAt(text, at, at + size);
		if (weight > 0 && !found(at, weight)) return;
	}
}

const expressions = new Map<string, RegExp>();
/** Names whose expressions are kept: a query's own. */
const MOST_EXPRESSIONS = 100;

function expressionOf({ text }: Term): RegExp {
	let expression = expressions.get(text);
	if (!expression) {
		if (expressions.size >= MOST_EXPRESSIONS) expressions.clear();
		// Pieces are letters and digits alone.
		expression = new RegExp(text.replace(JOINTS, "[-_.]?"), "g");
		expressions.set(text, expression);
	}
	return expression;
}

function weightAt(text: string, start: number, end: number): number {
	if (!isEdge(text, start)) return 0;
	return isEdge(text, end) ? 1 : PREFIX_WEIGHT;
}

/** Whether a word or a piece of one ends or begins between the units before and at `at`. */
function isEdge(text: string, at: number): boolean {
	if (at === 0 || at >= text.length) return true;
	const [before, after] = [kindOf(text.charCodeAt(at - 1)), kindOf(text.charCodeAt(at))];
	if (before === OTHER || after === OTHER) return true;
	if (before === DIGIT || after === DIGIT) return before !== after;
	if (before === LOWER) return after === UPPER;
	// `HTTPServer`: the last capital belongs to what follows it.
	return after === UPPER && at + 1 < text.length && kindOf(text.charCodeAt(at + 1)) === LOWER;
}

const [OTHER, DIGIT, LOWER, UPPER] = [0, 1, 2, 3];
const ASCII = Uint8Array.from({ length: 128 }, (_, unit) => {
	const letter = String.fromCharCode(unit);
	return /[0-9]/.test(letter) ? DIGIT : /[a-z]/.test(letter) ? LOWER : /[A-Z]/.test(letter) ? UPPER : OTHER;
});

/** Whether a unit is a letter, a digit, or a mark that joins the pieces of a name: no term but a phrase goes beyond those. */
export function isRunUnit(unit: number): boolean {
	if (unit < ASCII.length) return RUN_UNITS[unit] === 1;
	let known = FAR_UNITS[unit]!;
	if (known === 0) {
		known = kindOf(unit) === OTHER ? 1 : 2;
		FAR_UNITS[unit] = known;
	}
	return known === 2;
}

const RUN_UNITS = ASCII.map((kind, unit) => (kind !== OTHER || "-_.".includes(String.fromCharCode(unit)) ? 1 : 0));
/** Nought: not looked at yet. */
const FAR_UNITS = new Uint8Array(0x1_0000);

function kindOf(unit: number): number {
	if (unit < ASCII.length) return ASCII[unit]!;
	const letter = String.fromCharCode(unit);
	if (letter.toLowerCase() !== letter) return UPPER;
	return /\p{L}|\p{M}/u.test(letter) ? LOWER : OTHER;
}
