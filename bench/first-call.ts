/** The first call that needs the module, in a fresh process: compiles it, starts it, asks it. Prints the times as JSON. */

import { createRequire } from "node:module";
import * as pi from "@earendil-works/pi-coding-agent";
import * as tui from "@earendil-works/pi-tui";
import { time } from "./measure.ts";

type Handler = (event: object, ctx: object) => unknown;

const handlers = new Map<string, Handler>();
const nothing = () => undefined;
const api = {
	// Of several handlers the first asks the module.
	on: (name: string, handler: Handler) => void (handlers.has(name) || handlers.set(name, handler)),
	registerTool: nothing,
	registerCommand: nothing,
	registerEntryRenderer: nothing,
	appendEntry: nothing,
	getActiveTools: nothing,
	getAllTools: nothing,
	getCommands: nothing,
	getSettings: nothing,
};
createRequire(import.meta.url)("../pkg-js/extension.cjs").default(api, { pi, tui });
const payload = { messages: [{ role: "user", content: [{ type: "tool_result", tool_use_id: "lost", content: "" }] }] };
let repaired: unknown;
const timed = time(() => {
	repaired = handlers.get("before_provider_request")?.({ payload }, {});
});
if (repaired === undefined) throw new Error("the module was not asked");
console.log(JSON.stringify(timed));
