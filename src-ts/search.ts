/**
 * The tool `zip_search`: finds earlier text by what it says, folded or not, and names the handle by which `zip_recall`
 * gets it.
 *
 * The session is searched as Pi holds it, in slices, without an index. What is looked at is decided by `documents`, in
 * which order hits come by `rank` and `scan`.
 */

import type { ExtensionContext, ToolDefinition } from "@earendil-works/pi-coding-agent";
import type { SessionReader } from "./recall/originals.ts";
import { callRow, type Drawing, type RowState, resultRows } from "./recall/row.ts";
import { refuseSearch, type SearchDetails, searchAnswer } from "./search/answer.ts";
import { type Document, documents, visibility } from "./search/documents.ts";
import type { Past } from "./search/past.ts";
import { PAGE_HITS, PLACES, ROLES, readSearch } from "./search/request.ts";
import { type LinePattern, Stopped, scan } from "./search/scan.ts";

export const SEARCH_TOOL = "zip_search";

const DESCRIPTION =
	"Finds earlier text by content: outputs, messages, call arguments, folded or compacted away too. " +
	"Hits name the handle for zip_recall.";

const PARAMETERS = {
	type: "object",
	properties: {
		query: { type: "string", description: 'Words and "phrases", ranked' },
		pattern: { type: "string", description: "Or: regex on lines" },
		case_sensitive: { type: "boolean" },
		where: { type: "string", enum: PLACES, description: "removed: + left branches; project, all: + past sessions" },
		tool: { type: "string" },
		path: { type: "string", description: "Part of a call's path or command" },
		role: { type: "string", enum: ROLES },
		turns: { type: "string", description: 'User turns, "3-7"' },
		limit: { type: "integer", description: `Default ${PAGE_HITS}` },
		offset: { type: "integer" },
	},
} as const;

export interface SearchParts {
	host: { tui: Drawing };
	handleOf(entryId: string): string;
	pattern(pattern: string, caseSensitive: boolean): LinePattern;
	past: Pick<Past, "search">;
	/** Whether a plan that is not persisted yet folds the entry. */
	isCarried(entryId: string): boolean;
}

export function searchTool(parts: SearchParts): ToolDefinition<typeof PARAMETERS, SearchDetails, RowState> {
	const { host, handleOf, pattern, isCarried, past } = parts;
	return {
		name: SEARCH_TOOL,
		label: "Search",
		description: DESCRIPTION,
		parameters: PARAMETERS,
		annotations: { readOnlyHint: true },
		async execute(_id, params, signal, _onUpdate, ctx) {
			const request = readSearch(params as Readonly<Record<string, unknown>>);
			if ("refusal" in request) return refuseSearch(request.refusal);
			const session: ExtensionContext["sessionManager"] = ctx.sessionManager;
			try {
				const isWide = request.where === "project" || request.where === "all";
				const others = isWide ? past.search(request, ctx, signal) : undefined;
				// It is waited for below; a failure meanwhile must not go unheard.
				others?.catch(() => {});
				const { limit, offset } = request;
				const asked = isWide ? { ...request, offset: 0, limit: limit + offset } : request;
				const found = await scan(documents(session, asked), asked, {
					pattern,
					now: () => performance.now(),
					pause: () => new Promise((done) => setImmediate(done)),
					signal,
				});
				const visibilityOf = visibility(session, isCarried);
				const elsewhere = await others;
				if (isWide && elsewhere === undefined) return refuseSearch("stopped");
				const named = {
					session: session as SessionReader,
					handleOf,
					suffix: "",
					placeOf: (document: Document) => [`turn ${document.turn}`, visibilityOf(document)],
				};
				return searchAnswer(found, request, named, elsewhere);
			} catch (error) {
				if (error instanceof Stopped) return refuseSearch("stopped");
				throw error;
			}
		},
		renderCall: (args, theme, context) =>
			callRow(host.tui, SEARCH_TOOL, args as Readonly<Record<string, unknown>>, theme, context.state),
		renderResult: (result, { expanded }, theme, context) =>
			resultRows(host.tui, result, outcomeOf(result.details), expanded, theme, context.state),
	};
}

function outcomeOf(details: SearchDetails | undefined): string {
	const { shown, total } = details ?? {};
	if (!Number.isFinite(shown) || !Number.isFinite(total)) return "nothing";
	return total === 0 ? "no match" : `${shown} of ${total}`;
}
