/**
 * Loads one extension by Pi's own loader in a fresh process, gives it its first event and asks it for the first answer
 * that needs the module. Prints the milliseconds as JSON: `load-child.ts EXTENSION`.
 */

import { loadExtensions } from "../node_modules/@earendil-works/pi-coding-agent/dist/core/extensions/loader.js";
import { timeAsync } from "./measure.ts";

const path = process.argv[2] ?? "";
const session = {
	getEntries: () => [],
	getEntry: () => undefined,
	getLeafId: () => null,
	getLeafEntry: () => undefined,
};
const ctx = { sessionManager: session, cwd: process.cwd(), mode: "print", hasUI: false, ui: { notify() {} } };

const timed = await timeAsync(async () => {
	const { extensions, errors } = await loadExtensions([path], process.cwd());
	if (errors.length > 0 || extensions.length !== 1) throw new Error(JSON.stringify(errors));
	const [extension] = extensions;
	for (const handler of extension?.handlers.get("session_start") ?? []) await handler({ type: "session_start" }, ctx);
	const payload = {
		messages: [{ role: "user", content: [{ type: "tool_result", tool_use_id: "none", content: "" }] }],
	};
	for (const handler of extension?.handlers.get("before_provider_request") ?? []) await handler({ payload }, ctx);
});
console.log(JSON.stringify(timed));
