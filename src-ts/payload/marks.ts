/**
 * Where a request's body carries cache marks, and what its conversation looks like between them.
 *
 * Two shapes take marks of ours: Anthropic's messages, where a block carries `cache_control`, and Bedrock's Converse,
 * where a `cachePoint` stands behind the block it marks. A body of any other shape, or one whose conversation carries no
 * mark, is none of ours: caching is off in it, or the cache is automatic. Nothing of a body is changed in place.
 */

import { isBlank, isObject, type JsonObject } from "./json.ts";

/** The conversation of a body. Positions are those of its messages, and stand for the last block of each. */
export interface Conversation {
	/** Name of the model, as the body has it. */
	readonly model: string;
	/** A number for each message, so that one of another size differs. */
	readonly messages: readonly number[];
	/** Marks in it, from the front; at least one. */
	readonly marks: readonly Mark[];
	/** Marks in the whole body, in front of the conversation as well. */
	readonly marksInAll: number;
	/** The message that the newest answer was given to; -1 where nothing was answered. */
	readonly answered: number;
	/** A copy of the body with one mark more, of the tier that the next mark has. Undefined where none may stand. */
	mark(position: number): JsonObject | undefined;
}

export interface Mark {
	readonly message: number;
	/** Whether it is on the message's last block. */
	readonly isLast: boolean;
	/** What the body has there. */
	readonly value: unknown;
}

/** Blocks behind the end of one message up to the end of another. A message without any counts as one. */
export function blocksBetween({ messages }: Conversation, from: number, to: number): number {
	let blocks = 0;
	for (let index = from + 1; index <= to; index += 1) blocks += Math.max(1, messages[index]! % MOST_BLOCKS);
	return blocks;
}

/** The part of the conversation's text, of 1, that stands in front of the end of a message. Answers count by blocks. */
export function shareUpTo({ messages }: Conversation, position: number): number {
	const sum = (numbers: readonly number[]) => numbers.reduce((all, number) => all + number, 0);
	return sum(messages.slice(0, position + 1)) / Math.max(1, sum(messages));
}

export function conversationOf(body: unknown): Conversation | undefined {
	if (!isObject(body) || !Array.isArray(body.messages)) return undefined;
	const messages = body.messages as readonly JsonObject[];
	// In bodies of this kind the system prompt is no message; where it is one, they are of another family.
	if (messages[0]?.role !== "user") return undefined;
	const form = formOf(messages);
	const walk = form && walkThrough(form, messages);
	if (form === undefined || walk === undefined) return undefined;
	const { sizes, marks, answered, nested } = walk;
	const before = form.places.reduce((sum, place) => sum + marksIn(form, place(body)), 0);
	return {
		model: String(body[form.model]),
		messages: sizes,
		marks,
		marksInAll: before + marks.length + nested + (isObject(body.cache_control) ? 1 : 0),
		answered,
		mark(position) {
			const tier = marks.find(({ message }) => message > position)?.value;
			const marked = tier === undefined ? undefined : withMark(form, messages[position], tier);
			return marked && { ...body, messages: (messages as JsonObject[]).with(position, marked) };
		},
	};
}

/**
 * A copy of the body with up to `count` marks less, of those that another one covers: on the tools and on system blocks, as
 * long as the last of these carries one. The body itself where there is none.
 */
export function withRoom(body: JsonObject, count: number): JsonObject {
	const { tools, system } = body;
	const covering = Array.isArray(system) ? system.findLastIndex(isMarked) : -1;
	if (covering < 0) return body;
	let left = count;
	const bare = (list: unknown, end?: number) => {
		if (!Array.isArray(list)) return list;
		return list.map((item, index) => {
			if (left <= 0 || index === end || !isMarked(item)) return item;
			left -= 1;
			const { cache_control: _, ...rest } = item;
			return rest;
		});
	};
	const room = { ...body, tools: bare(tools), system: bare(system, covering) };
	return left < count ? room : body;
}

const isMarked = (item: unknown): item is JsonObject => isObject(item) && isObject(item.cache_control);

interface Form {
	/** Field that names the model. */
	readonly model: string;
	/** Lists in front of the conversation that may carry marks. */
	readonly places: readonly ((body: JsonObject) => unknown)[];
	/** Field that holds a mark. */
	readonly field: "cache_control" | "cachePoint";
	/** A mark is a block of its own, behind the one it marks. */
	readonly isApart: boolean;
	/** Whether a message may be marked at its end, by the block there: thinking and what is empty may not. */
	mayCarry(block: JsonObject): boolean;
	/** UTF-16 code units of a block of the user. */
	unitsOf(block: JsonObject): number;
}

/** What providers take a mark on, among what ends a message of the user. */
const CARRIERS = new Set<unknown>(["text", "image", "document", "tool_result", "tool_addition", "tool_removal"]);

const ANTHROPIC: Form = {
	model: "model",
	places: [({ tools }) => tools, ({ system }) => system],
	field: "cache_control",
	isApart: false,
	mayCarry: ({ type, text }) => CARRIERS.has(type) && (type !== "text" || hasText(text)),
	unitsOf: ({ content, text }) => unitsIn(content ?? text),
};

const BEDROCK: Form = {
	model: "modelId",
	places: [({ toolConfig }) => (isObject(toolConfig) ? toolConfig.tools : undefined), ({ system }) => system],
	field: "cachePoint",
	isApart: true,
	mayCarry: ({ toolResult, image, text }) => isObject(toolResult) || isObject(image) || hasText(text),
	unitsOf: ({ toolResult, text }) => unitsIn(isObject(toolResult) ? toolResult.content : text),
};

const hasText = (text: unknown) => typeof text === "string" && !isBlank(text);

/** Of a text, or of a list of blocks with texts. */
function unitsIn(content: unknown): number {
	if (typeof content === "string") return content.length;
	let units = 0;
	if (Array.isArray(content))
		for (const block of content) units += typeof block?.text === "string" ? block.text.length : 1;
	return units;
}

/** The newest mark tells the form: it stands in the last message that has blocks. */
function formOf(messages: readonly JsonObject[]): Form | undefined {
	const last = messages.findLast((message) => !Array.isArray(message?.content) || message.content.length > 0);
	if (!last || last.role === "assistant") return undefined;
	return [ANTHROPIC, BEDROCK].find((form) => marksIn(form, last.content) > 0);
}

function marksIn({ field }: Form, list: unknown): number {
	if (!Array.isArray(list)) return 0;
	let marks = 0;
	for (const item of list) if (isObject(item?.[field])) marks += 1;
	return marks;
}

interface Walk {
	sizes: number[];
	marks: Mark[];
	answered: number;
	/** Marks on what stands inside of results. */
	nested: number;
}

const NOTHING: JsonObject = {};
/** Larger than the number of blocks in any message. */
const MOST_BLOCKS = 2 ** 20;

/**
 * Runs on every request: it touches as little as it can. Of answers it takes the number of blocks alone, since nothing
 * of ours changes them. Undefined where a message is of another family.
 */
function walkThrough(form: Form, messages: readonly JsonObject[]): Walk | undefined {
	const { field } = form;
	const walk: Walk = { sizes: [], marks: [], answered: -1, nested: 0 };
	let user = -1;
	for (let message = 0; message < messages.length; message += 1) {
		const { role, content, tool_calls } = messages[message] ?? NOTHING;
		if ((role !== "user" && role !== "assistant" && role !== "system") || tool_calls !== undefined) return undefined;
		if (role === "user") user = message;
		else if (role === "assistant") walk.answered = user;
		if (typeof content === "string") {
			walk.sizes.push(1 + content.length * MOST_BLOCKS);
			continue;
		}
		if (!Array.isArray(content)) return undefined;
		let blocks = content.length;
		let units = 0;
		for (let index = 0; index < content.length; index += 1) {
			const block = content[index] as JsonObject | undefined;
			const value = block?.[field];
			if (isObject(value)) {
				walk.marks.push({ message, isLast: index === content.length - 1, value });
				if (form.isApart) blocks -= 1;
			}
			if (role !== "user" || block === undefined || block === null) continue;
			units += form.unitsOf(block);
			if (Array.isArray(block.content)) walk.nested += marksIn(form, block.content);
		}
		walk.sizes.push(blocks + units * MOST_BLOCKS);
	}
	return walk;
}

function withMark(
	{ field, isApart, mayCarry }: Form,
	message: JsonObject | undefined,
	tier: unknown,
): JsonObject | undefined {
	if (message?.role !== "user") return undefined;
	// A bare string is one text block, which is what the provider makes of it.
	const { content } = message;
	const blocks = typeof content === "string" ? [{ type: "text", text: content }] : (content as JsonObject[]);
	const last = blocks.at(-1);
	if (last === undefined || last[field] !== undefined || !mayCarry(last)) return undefined;
	const mark = { [field]: tier };
	return { ...message, content: isApart ? [...blocks, mark] : blocks.with(-1, { ...last, ...mark }) };
}
