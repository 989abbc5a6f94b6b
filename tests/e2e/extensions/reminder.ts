/** Appends a reminder to each request, as many extensions do. The session never holds it. */
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

export const REMINDER = "Reminder: keep to the style guide.";

export default function reminder(pi: ExtensionAPI): void {
	pi.on("context", ({ messages }) => ({
		messages: [...messages, { role: "user", content: [{ type: "text", text: REMINDER }], timestamp: 0 }],
	}));
}
