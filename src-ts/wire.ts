/**
 * The form in which entries cross to the core: all numbers in one list, all texts in one string. An object for each takes
 * twice as long, since each of its fields is a call across the boundary.
 *
 * The order of the fields is that of `wire/entry.rs`, which reads them back.
 */

/** One entry of the branch; `at` in milliseconds since the epoch. */
export type WireEntry = { id: string; at: number } & WireBody;

/** UTF-16 code units of text, and of call arguments as JSON. */
type Units = { units: number };
type Sized = Units & { images: number };

export type WireBody =
	| ({ kind: "system" | "branchSummary" } & Units)
	| ({ kind: "user" | "custom" } & Sized)
	| ({ kind: "assistant" } & WireAnswer)
	| ({ kind: "toolResult" } & WireResult)
	/** `excluded`: kept from the model. */
	| ({ kind: "userBash"; excluded: boolean } & Units)
	/** `systemUnits`: size of the stored prompt and tools, where there are any. */
	| ({ kind: "compaction"; firstKept: string | undefined; systemUnits: number | undefined } & Units)
	/** `placeholder`: the content is one of ours. */
	| ({ kind: "contextEdit"; target: string; placeholder: boolean } & Sized)
	/** The target is left out, or as it was from here on. */
	| { kind: "omission" | "release"; target: string }
	| { kind: "cacheTouch"; provider: string; model: string }
	| { kind: "steering"; targets: readonly string[] }
	/** A message of a role that Pi does not send; it takes a place in the projection, `inert` entries do not. */
	| { kind: "unknownMessage" | "inert" };

export type WireAnswer = Units & {
	/** UTF-16 code units of text alone, and of thinking. */
	said: number;
	thinking: number;
	calls: WireCall[];
	/** Pi's stop reason. */
	stop: string;
	provider: string;
	model: string;
	usage: WireUsage | undefined;
};

export type WireResult = Sized & {
	callId: string;
	tool: string;
	isError: boolean;
	/** Every block is text or an image. */
	knownBlocks: boolean;
};

export interface WireCall {
	id: string;
	tool: string;
	/** Name and value of each scalar argument that is not too long to carry. */
	args: [name: string, value: string][];
	/** Some argument is not in `args`. */
	partial: boolean;
}

/** Tokens as the provider reported them, sense or not. */
export interface WireUsage {
	input: number;
	output: number;
	cacheRead: number;
	cacheWrite: number;
	cacheWrite1h: number | undefined;
}

/** Stands behind each text, so that halves of two surrogate pairs never meet. */
const END = "\0";

/** What crosses. */
export interface Packed {
	readonly numbers: Float64Array;
	readonly texts: string;
}

export function pack(entries: readonly WireEntry[]): Packed {
	const writer = new Writer();
	for (const entry of entries) {
		writer.text(entry.kind);
		writer.text(entry.id);
		writer.number(entry.at);
		packBody(entry, writer);
	}
	return writer.packed;
}

class Writer {
	readonly #numbers: number[] = [];
	readonly #texts: string[] = [];

	get packed(): Packed {
		return { numbers: Float64Array.from(this.#numbers), texts: this.#texts.join(END) };
	}

	number(value: number): void {
		this.#numbers.push(value);
	}

	/** What is absent crosses as no number. */
	maybe(value: number | undefined): void {
		this.#numbers.push(value ?? Number.NaN);
	}

	flag(value: boolean): void {
		this.#numbers.push(value ? 1 : 0);
	}

	text(value: string): void {
		this.#numbers.push(value.length);
		this.#texts.push(value);
	}

	list(values: readonly string[]): void {
		this.#numbers.push(values.length);
		for (const value of values) this.text(value);
	}
}

function packBody(body: WireBody, writer: Writer): void {
	switch (body.kind) {
		case "system":
		case "branchSummary":
			writer.number(body.units);
			break;
		case "user":
		case "custom":
			packSize(body, writer);
			break;
		case "assistant":
			packAnswer(body, writer);
			break;
		case "toolResult":
			writer.text(body.callId);
			writer.text(body.tool);
			writer.flag(body.isError);
			writer.flag(body.knownBlocks);
			packSize(body, writer);
			break;
		case "userBash":
			writer.number(body.units);
			writer.flag(body.excluded);
			break;
		case "compaction":
			writer.number(body.units);
			writer.maybe(body.systemUnits);
			writer.list(body.firstKept === undefined ? [] : [body.firstKept]);
			break;
		case "contextEdit":
			writer.text(body.target);
			writer.flag(body.placeholder);
			packSize(body, writer);
			break;
		case "omission":
		case "release":
			writer.text(body.target);
			break;
		case "cacheTouch":
			writer.text(body.provider);
			writer.text(body.model);
			break;
		case "steering":
			writer.list(body.targets);
			break;
		case "unknownMessage":
		case "inert":
			break;
	}
}

function packSize({ units, images }: Sized, writer: Writer): void {
	writer.number(units);
	writer.number(images);
}

function packAnswer({ units, said, thinking, calls, stop, provider, model, usage }: WireAnswer, writer: Writer): void {
	for (const length of [units, said, thinking]) writer.number(length);
	for (const name of [stop, provider, model]) writer.text(name);
	writer.flag(usage !== undefined);
	if (usage) {
		const { input, output, cacheRead, cacheWrite, cacheWrite1h } = usage;
		for (const tokens of [input, output, cacheRead, cacheWrite]) writer.number(tokens);
		writer.maybe(cacheWrite1h);
	}
	writer.number(calls.length);
	for (const { id, tool, args, partial } of calls) {
		writer.text(id);
		writer.text(tool);
		writer.flag(partial);
		writer.number(args.length);
		for (const text of args.flat()) writer.text(text);
	}
}
