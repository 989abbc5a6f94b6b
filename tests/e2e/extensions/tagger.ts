/** Puts a line in front of the system prompt of each request of the session, on its way to the provider. */
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

export default function tagger(pi: ExtensionAPI): void {
	pi.on("before_provider_request", ({ payload }) => {
		const body = payload as { system?: object[] };
		return { ...body, system: [{ type: "text", text: "Team: blue." }, ...(body.system ?? [])] };
	});
}
