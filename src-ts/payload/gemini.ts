/**
 * Gemini and Vertex: `functionCall` and `functionResponse` parts, without ids on older models.
 *
 * The parts of a turn that answers calls are counted against the calls, so text goes into a turn of its own.
 */

import { blockFamily } from "./blocks.ts";
import { isBlank, isObject, type JsonObject } from "./json.ts";
import { labelOf } from "./outline.ts";

export const gemini = blockFamily({
	model: "model",
	blocksOf: (message) => message.parts,
	withBlocks: (message, parts) => ({ ...message, parts }),
	isResult: (part) => Boolean(part?.functionResponse),
	isCallOf: (part, result) => {
		const call = callOf(part);
		const response = resultOf(result);
		if (!call || call.id !== response?.id) return false;
		if (call.id !== undefined) return typeof call.id === "string";
		return typeof call.name === "string" && call.name === response?.name;
	},
	callOf: (part) => tagOf(callOf(part)),
	resultOf: (part) => tagOf(resultOf(part)),
	toText,
	apart: true,
});

const callOf = (part: JsonObject) => part?.functionCall as JsonObject | null | undefined;
const resultOf = (part: JsonObject) => part?.functionResponse as JsonObject | null | undefined;
const tagOf = (value: JsonObject | null | undefined) => (value ? { id: value.id, tool: value.name } : undefined);

function toText(part: JsonObject): JsonObject[] {
	const { response, parts } = resultOf(part) ?? {};
	const isError = isObject(response) && "error" in response;
	const text = textOf(response);
	return [{ text: labelOf(isError) }, ...(isBlank(text) ? [] : [{ text }]), ...(Array.isArray(parts) ? parts : [])];
}

/** The SDK's convention is one key, `output` or `error`; anything else is shown whole. */
function textOf(response: unknown): string {
	if (response === undefined) return "";
	const values = isObject(response) ? Object.entries(response) : [];
	const [key, value] = values.length === 1 ? values[0]! : [];
	return typeof value === "string" && (key === "output" || key === "error") ? value : JSON.stringify(response);
}
