/** Takes every cache mark out of the conversation but the newest: what goes out is marked as plain Pi marks it. */
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

interface Message {
	content: string | { cache_control?: unknown }[];
}

export default function noMark(pi: ExtensionAPI): void {
	pi.on("before_provider_request", ({ payload }) => {
		const { messages, ...rest } = payload as { messages: Message[] };
		if (!Array.isArray(messages)) return undefined;
		const newest = messages.findLast(
			({ content }) => Array.isArray(content) && content.some((block) => block.cache_control),
		);
		return { ...rest, messages: messages.map((message) => (message === newest ? message : unmarked(message))) };
	});
}

function unmarked(message: Message): Message {
	if (!Array.isArray(message.content)) return message;
	return { ...message, content: message.content.map(({ cache_control: _, ...block }) => block) };
}
