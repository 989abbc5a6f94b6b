/**
 * The tool `zip_recall`: what the model is told about it, and its way from arguments to an answer.
 *
 * It reads no session and loads no module: the originals and the pager are handed in. Which entries a handle leads to
 * is decided by `originals`, which units a page holds by `pager`.
 */

import type { ExtensionContext, ToolDefinition } from "@earendil-works/pi-coding-agent";
import { answer, type Original, type Pager, type RecallDetails, refuse } from "./recall/answer.ts";
import { DEFAULT_PAGE, LARGEST_PAGE, readRequest } from "./recall/request.ts";
import { callRow, type Drawing, type RowState, recallOutcome, resultRows } from "./recall/row.ts";

export type { Original, Page, Pager, RecallDetails } from "./recall/answer.ts";

export const RECALL_TOOL = "zip_recall";

/** The tool's guidance stands here once, since this rides in each request. */
const DESCRIPTION =
	"Fetches the text that pi-zip folded (`[folded by pi-zip … handle <handle>`) or zip_search found, byte for byte. " +
	"Recall when you need a detail that the placeholder lacks and that repeating the tool would not show as it was; " +
	"for the current state repeat the tool. Do not guess folded content. Prefer grep or range to the whole. " +
	"Answers carry line numbers and the call that continues.";

const PARAMETERS = {
	type: "object",
	properties: {
		handle: { type: "string", description: "As in placeholder or hit" },
		handles: { type: "array", items: { type: "string" }, description: "Several" },
		grep: { type: "string", description: "Lines that match this regex, case-insensitive" },
		range: { type: "string", description: 'Lines, e.g. "120-240"' },
		offset: { type: "integer", description: "Character of the selection to begin at" },
		limit: { type: "integer", description: `Characters; default ${DEFAULT_PAGE}, at most ${LARGEST_PAGE}` },
	},
} as const;

export interface RecallParts {
	host: { tui: Drawing };
	/** What `handle` (lower case, bare) leads to in the session of `ctx`. */
	find(handle: string, ctx: ExtensionContext, signal: AbortSignal | undefined): Original | Promise<Original>;
	pager: Pager;
}

export function recallTool(parts: RecallParts): ToolDefinition<typeof PARAMETERS, RecallDetails, RowState> {
	const { find, pager, host } = parts;
	return {
		name: RECALL_TOOL,
		label: "Recall",
		description: DESCRIPTION,
		parameters: PARAMETERS,
		annotations: { readOnlyHint: true },
		async execute(_id, params, signal, _onUpdate, ctx) {
			const request = readRequest(params as Readonly<Record<string, unknown>>);
			if ("refusal" in request) return refuse(request.refusal);
			return answer(request, (handle) => find(handle, ctx, signal), pager);
		},
		renderCall: (args, theme, context) =>
			callRow(host.tui, RECALL_TOOL, args as Readonly<Record<string, unknown>>, theme, context.state),
		renderResult: (result, { expanded }, theme, context) =>
			resultRows(host.tui, result, recallOutcome(result.details), expanded, theme, context.state),
	};
}
