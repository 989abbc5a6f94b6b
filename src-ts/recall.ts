/**
 * The tool `zip_recall`: what the model is told about it, and its way from arguments to an answer.
 *
 * It reads no session and loads no module: the originals and the pager are handed in. Which entries a handle leads to
 * is decided by `originals`, which units a page holds by `pager`.
 */

import type { ExtensionContext, ToolDefinition } from "@earendil-works/pi-coding-agent";
import {
	type Answer,
	answer,
	type Find,
	type Original,
	type Pager,
	type RecallDetails,
	refuse,
} from "./recall/answer.ts";
import { DEFAULT_PAGE, LARGEST_PAGE, type RecallRequest, readRequest } from "./recall/request.ts";
import { callRow, type Drawing, type RowState, recallOutcome, resultRows } from "./recall/row.ts";

export type { Original, Page, Pager, RecallDetails } from "./recall/answer.ts";

export const RECALL_TOOL = "zip_recall";

/** The tool's guidance stands here once, since this rides in each request. */
const DESCRIPTION =
	"Fetches text that pi-zip folded (`[folded by pi-zip … handle <handle>`) or zip_search found, byte for byte. " +
	"Recall when you need a detail that the placeholder lacks and repeating the tool would not show as it was; " +
	"for the current state repeat it. Do not guess folded content. Prefer grep or range to the whole. " +
	"Answers carry line numbers and the call that continues.";

const PARAMETERS = {
	type: "object",
	properties: {
		handle: { type: "string" },
		handles: { type: "array", items: { type: "string" } },
		question: { type: "string", description: "A model reads the originals apart: findings with quotes" },
		grep: { type: "string", description: "Regex on lines, case-insensitive" },
		range: { type: "string", description: 'Lines, e.g. "120-240"' },
		offset: { type: "integer", description: "First character" },
		limit: { type: "integer", description: `Characters; default ${DEFAULT_PAGE}, at most ${LARGEST_PAGE}` },
	},
} as const;

export interface RecallParts {
	host: { tui: Drawing };
	/** What `handle` (lower case, bare) leads to in the session of `ctx`. */
	find(handle: string, ctx: ExtensionContext, signal: AbortSignal | undefined): Original | Promise<Original>;
	pager: Pager;
	/** Answers a call that asks a question; absent where there is no reader: then it gets its page. */
	ask?(
		request: RecallRequest & { question: string },
		find: Find,
		ctx: ExtensionContext,
		signal: AbortSignal | undefined,
	): Promise<Answer>;
}

export function recallTool(parts: RecallParts): ToolDefinition<typeof PARAMETERS, RecallDetails, RowState> {
	const { find, pager, host, ask } = parts;
	return {
		name: RECALL_TOOL,
		label: "Recall",
		description: DESCRIPTION,
		parameters: PARAMETERS,
		annotations: { readOnlyHint: true },
		async execute(_id, params, signal, _onUpdate, ctx) {
			const request = readRequest(params as Readonly<Record<string, unknown>>);
			if ("refusal" in request) return refuse(request.refusal);
			const findIn: Find = (handle) => find(handle, ctx, signal);
			const { question } = request;
			if (ask && question !== undefined) return ask({ ...request, question }, findIn, ctx, signal);
			return answer(request, findIn, pager);
		},
		renderCall: (args, theme, context) =>
			callRow(host.tui, RECALL_TOOL, args as Readonly<Record<string, unknown>>, theme, context.state),
		renderResult: (result, { expanded }, theme, context) =>
			resultRows(host.tui, result, recallOutcome(result.details, context.isError), expanded, theme, context.state),
	};
}
