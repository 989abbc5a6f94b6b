/** `/goto ENTRY` moves the session to an entry, which RPC has no command for. */
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

export default function navigate(pi: ExtensionAPI): void {
	pi.registerCommand("goto", {
		description: "Move to an entry of the session",
		handler: async (id, ctx) => {
			await ctx.navigateTree(id.trim(), { summarize: false });
		},
	});
}
