/**
 * Gemini's generateContent: the turn behind function calls must answer them, with as many responses as there were
 * calls, of the same names, and of the same ids where they are given; a response elsewhere is refused. A turn of
 * responses holds nothing else. The first turn is the user's; no turn is empty; each part holds one kind of data.
 */

import { grouped, pairingOf, type Validator } from "./validator.ts";

interface Named {
	name: string;
	id?: string;
}

interface Part {
	[kind: string]: unknown;
	functionCall?: Named;
	functionResponse?: Named;
}

interface Content {
	role: string;
	parts: Part[];
}

const KINDS = ["text", "inlineData", "functionCall", "functionResponse", "fileData"];

export const validateGemini: Validator = (body) => {
	const { contents } = body as { contents: Content[] };
	const complaints: string[] = [];
	if (contents[0]?.role !== "user") complaints.push("the first turn is not the user's");
	for (const content of contents) {
		if (content.role !== "user" && content.role !== "model") complaints.push(`role ${content.role}`);
		if (content.parts.length === 0) complaints.push("an empty turn");
		const responses = content.parts.filter((part) => part.functionResponse !== undefined).length;
		if (responses > 0 && responses !== content.parts.length) complaints.push("responses and other parts in one turn");
		if (content.role === "model" && responses > 0) complaints.push("a response of the model");
		complaints.push(...content.parts.flatMap(complaintsOfPart));
	}
	let asked: string[] = [];
	for (const { key, items } of grouped(contents, (content) => content.role)) {
		const parts = items.flatMap((content) => content.parts);
		const answers = key === "user" ? parts.flatMap((part) => nameOf(part.functionResponse)) : [];
		complaints.push(...pairingOf(asked, answers));
		asked = key === "model" ? parts.flatMap((part) => nameOf(part.functionCall)) : [];
	}
	return [...complaints, ...pairingOf(asked, [])];
};

function nameOf(value: Named | undefined): string[] {
	return value === undefined ? [] : [`${value.name} ${value.id ?? "without id"}`];
}

function complaintsOfPart(part: Part): string[] {
	const kinds = KINDS.filter((kind) => part[kind] !== undefined);
	return kinds.length === 1 ? [] : [`a part with ${kinds.length} kinds of data`];
}
