/** `/goto ENTRY` moves the session to an entry, `/leave ENTRY` with a summary of what is left: RPC has no command for it. */
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

export default function navigate(pi: ExtensionAPI): void {
	pi.registerCommand("goto", {
		description: "Move to an entry of the session",
		handler: async (id, ctx) => {
			await ctx.navigateTree(id.trim(), { summarize: false });
		},
	});
	pi.registerCommand("leave", {
		description: "Move to an entry of the session, with a summary",
		handler: async (id, ctx) => {
			await ctx.navigateTree(id.trim(), { summarize: true });
		},
	});
}
