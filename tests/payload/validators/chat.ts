/**
 * OpenAI's chat completions: an assistant message with `tool_calls` must be followed at once by one `tool` message for
 * each of them, and a `tool` message must stand there. Content must not be empty. Mistral has the same rules under
 * names in camel case. A strict server takes no user message right behind a `tool` message.
 */

import { pairingOf, type Validator } from "./validator.ts";

interface Part {
	type: string;
	text?: string;
	image_url?: unknown;
	imageUrl?: unknown;
}

interface Message {
	role: string;
	content?: string | Part[] | null;
	tool_calls?: { id: string }[];
	toolCalls?: { id: string }[];
	tool_call_id?: string;
	toolCallId?: string;
}

export const validateChat: Validator = (body) => complaintsOf((body as { messages: Message[] }).messages, false);

export const validateStrictChat: Validator = (body) => complaintsOf((body as { messages: Message[] }).messages, true);

function complaintsOf(messages: Message[], isStrict: boolean): string[] {
	const complaints: string[] = [];
	let asked: string[] = [];
	let answers: string[] = [];
	for (const [index, message] of messages.entries()) {
		if (message.role === "tool") answers.push(message.tool_call_id ?? message.toolCallId ?? "");
		else {
			complaints.push(...pairingOf(asked, answers));
			asked = [];
			answers = [];
		}
		if (message.role === "assistant") asked = callsOf(message).map((call) => call.id);
		if (isStrict && message.role === "user" && messages[index - 1]?.role === "tool")
			complaints.push("user behind tool");
		complaints.push(...complaintsOfMessage(message));
	}
	return [...complaints, ...pairingOf(asked, answers)];
}

function callsOf(message: Message): { id: string }[] {
	return message.tool_calls ?? message.toolCalls ?? [];
}

const ROLES = ["system", "developer", "user", "assistant", "tool"];

function complaintsOfMessage(message: Message): string[] {
	if (!ROLES.includes(message.role)) return [`role ${message.role}`];
	const { content } = message;
	if (message.role === "system" || message.role === "developer") return [];
	const isEmpty = !content?.length;
	if (message.role === "assistant") return isEmpty && callsOf(message).length === 0 ? ["an empty answer"] : [];
	if (isEmpty) return [`empty content of ${message.role}`];
	if (!Array.isArray(content)) return [];
	return content.flatMap((part) => {
		if (part.type === "text") return part.text === "" ? ["an empty part"] : [];
		return part.type === "image_url" && (part.image_url ?? part.imageUrl) ? [] : [`a part of type ${part.type}`];
	});
}
