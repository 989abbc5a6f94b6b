/** Another context manager: cuts every tool result but the newest four in the view. */
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

/** Results that are left as they are. */
const KEPT = 4;

export default function shortener(pi: ExtensionAPI): void {
	pi.on("context", ({ messages }) => {
		const results = messages.filter(({ role }) => role === "toolResult");
		const old = new Set(results.slice(0, -KEPT));
		return {
			messages: messages.map((message) =>
				message.role === "toolResult" && old.has(message)
					? { ...message, content: [{ type: "text" as const, text: "(cut)" }] }
					: message,
			),
		};
	});
}
