/**
 * OpenAI Responses, also as Azure and Codex take it: calls and outputs are items of one list, joined by `call_id`.
 *
 * An output may stand anywhere behind its call, so no boundary is drawn. A window ends where the next call begins and
 * all before it are answered: what comes then cannot belong to it.
 */

import type { JsonObject } from "./json.ts";
import { type Family, labelOf, Outline } from "./outline.ts";
import { rewriteRuns } from "./runs.ts";

export const responses: Family = {
	outline,
	rewrite: (list, orphans) => rewriteRuns({ isResult: ({ type }) => isOutput(type), toContent }, list, orphans),
};

function outline(list: readonly unknown[]): Outline | undefined {
	const items = list as readonly JsonObject[];
	let found: Outline | undefined;
	const calls: unknown[] = [];
	let open = 0;
	let start = 0;
	let answered = 0;
	let isProven = true;
	for (let index = 0; index < items.length; index += 1) {
		const item = items[index];
		const type = item?.type;
		if (item === undefined || (!isCall(type) && !isOutput(type))) continue;
		// Windows could not be told apart if a result without an id could answer any call.
		if (typeof item.call_id !== "string") return undefined;
		if (isOutput(type)) {
			if (answered < open && calls[answered] === item.call_id) answered += 1;
			else isProven = false;
			continue;
		}
		if (answered === open) {
			if (!isProven) found = describe(items, start, index, found);
			start = index;
			open = 0;
			answered = 0;
			isProven = true;
		}
		calls[open] = item.call_id;
		open += 1;
	}
	return isProven ? found : describe(items, start, items.length, found);
}

function describe(items: readonly JsonObject[], start: number, end: number, into = new Outline()): Outline {
	for (let index = start; index < end; index += 1) {
		const item = items[index];
		if (isCall(item?.type)) into.call(item?.call_id);
		else if (isOutput(item?.type)) into.result(index, 0, item?.call_id);
	}
	return into;
}

function isCall(type: unknown): boolean {
	return type === "function_call" || type === "custom_tool_call";
}

function isOutput(type: unknown): boolean {
	return type === "function_call_output" || type === "custom_tool_call_output";
}

function toContent({ output }: JsonObject): JsonObject[] {
	const parts = Array.isArray(output) ? output : [{ type: "input_text", text: output ?? "" }];
	return [{ type: "input_text", text: labelOf(false) }, ...parts.filter((part) => part?.text !== "")];
}
