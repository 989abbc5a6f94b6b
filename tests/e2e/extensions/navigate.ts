/**
 * What RPC has no command for: `/goto ENTRY` moves the session to an entry, `/leave ENTRY` with a summary of what is left,
 * `/again` loads the extensions anew, `/invalidate` sends the event by which what a provider keeps is told to be gone.
 */
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
	pi.registerCommand("again", {
		description: "Load the extensions anew",
		handler: async (_, ctx) => {
			await ctx.reload();
		},
	});
	pi.registerCommand("invalidate", {
		description: "Tell that what a provider keeps is gone",
		handler: async () => {
			pi.events.emit("pi-provider-compaction:invalidate", {});
		},
	});
}
