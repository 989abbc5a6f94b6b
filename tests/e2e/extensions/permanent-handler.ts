/** Stays registered at `turn_end` for good and does nothing there: what a folding extension must not do. */
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

export default function permanentHandler(pi: ExtensionAPI): void {
	pi.on("turn_end", () => {});
}
