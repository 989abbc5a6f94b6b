/** Takes a secret out of every request on its way to the provider. The session goes on holding it. */
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

export const SECRET = "tok_4f9a1c77e0";

export default function redactor(pi: ExtensionAPI): void {
	pi.on("before_provider_request", ({ payload }) =>
		JSON.parse(JSON.stringify(payload).replaceAll(SECRET, "(redacted)")),
	);
}
