/**
 * OpenAI's Responses API: each output names by `call_id` a call in front of it, of its own kind, and each call has one
 * output. Messages of the user hold `input_text`, `input_image` or `input_file`, and are not empty.
 */

import type { Validator } from "./validator.ts";

interface Part {
	type: string;
}

interface Item {
	type?: string;
	role?: string;
	call_id?: string;
	output?: string | Part[];
	content?: string | Part[];
}

const USER_PARTS = ["input_text", "input_image", "input_file"];

export const validateResponses: Validator = (body) => {
	const complaints: string[] = [];
	const open: string[] = [];
	for (const item of (body as { input: Item[] }).input) {
		if (item.type === "function_call" || item.type === "custom_tool_call") open.push(`${item.type} ${item.call_id}`);
		else if (item.type === "function_call_output" || item.type === "custom_tool_call_output") {
			const found = open.indexOf(`${item.type.slice(0, -"_output".length)} ${item.call_id}`);
			if (found < 0) complaints.push(`no call for output ${item.call_id}`);
			else open.splice(found, 1);
			if (typeof item.output !== "string") complaints.push(...complaintsOfParts(item.output));
		} else if (item.role === "user") complaints.push(...complaintsOfParts(item.content));
	}
	return [...complaints, ...open.map((call) => `no output for ${call}`)];
};

function complaintsOfParts(parts: Item["content"]): string[] {
	if (!Array.isArray(parts) || parts.length === 0) return ["empty content"];
	return parts.flatMap((part) => (USER_PARTS.includes(part.type) ? [] : [`a part of type ${part.type}`]));
}
