/**
 * The tool `zip_search`: finds earlier text by what it says, folded or not, and names the handle by which `zip_recall`
 * gets it.
 *
 * The session is searched as Pi holds it, in slices, with what an index knows of it by then. What is looked at is decided by `documents`, in
 * which order hits come by `rank` and `scan`.
 */

import type { ExtensionContext, ToolDefinition } from "@earendil-works/pi-coding-agent";
import type { SessionReader } from "./recall/originals.ts";
import { oneLine } from "./recall/request.ts";
import { callRow, type Drawing, type RowState, resultRows } from "./recall/row.ts";
import { coveredBy, idsOn, leavesOn } from "./recall/summaries.ts";
import { refuseSearch, type SearchDetails, searchAnswer } from "./search/answer.ts";
import { overview } from "./search/covers.ts";
import { type Document, documents, visibility } from "./search/documents.ts";
import type { Past } from "./search/past.ts";
import { PLACES, ROLES, readSearch } from "./search/request.ts";
import { type LinePattern, Stopped, scan } from "./search/scan.ts";
import type { WordIndex } from "./search/word-index.ts";

export const SEARCH_TOOL = "zip_search";

const DESCRIPTION =
	"Finds earlier outputs, messages, call arguments by content, folded or compacted away too. " +
	"Hits name the handle for zip_recall.";

const PARAMETERS = {
	type: "object",
	properties: {
		query: { type: "string", description: 'Words and "phrases", ranked' },
		pattern: { type: "string", description: "Or: regex on lines" },
		case_sensitive: { type: "boolean" },
		where: { type: "string", enum: PLACES, description: "removed: + left branches; project, all: + past sessions" },
		in: { type: "string", description: "Summary id; alone: what it covers" },
		tool: { type: "string" },
		path: { type: "string", description: "Part of path or command" },
		role: { type: "string", enum: ROLES },
		turns: { type: "string", description: '"3-7"' },
		limit: { type: "integer" },
		offset: { type: "integer" },
	},
} as const;

export interface SearchParts {
	host: { tui: Drawing };
	handleOf(entryId: string): string;
	pattern(pattern: string, caseSensitive: boolean): LinePattern;
	past: Pick<Past, "search">;
	/** Dollars that a token of input costs; undefined where the model declares none. */
	price?(ctx: ExtensionContext): number | undefined;
	/** What is known of words; absent while nothing is. */
	words?(): WordIndex | undefined;
	/** Whether a plan that is not persisted yet folds the entry. */
	isCarried(entryId: string): boolean;
}

export function searchTool(parts: SearchParts): ToolDefinition<typeof PARAMETERS, SearchDetails, RowState> {
	const { host, handleOf, pattern, isCarried, past, price, words } = parts;
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
			const scope = request.in === undefined ? undefined : coveredBy(session, request.in, handleOf);
			if (request.in !== undefined && !scope) return refuseSearch(noSummary(request.in, session, handleOf));
			if (scope && request.query === undefined && request.pattern === undefined) {
				const text = overview(session, scope, price?.(ctx), handleOf);
				return {
					content: [{ type: "text", text }],
					details: { shown: scope.entries.length, total: scope.entries.length },
				};
			}
			try {
				const isWide = request.where === "project" || request.where === "all";
				const others = isWide ? past.search(request, ctx, signal) : undefined;
				// It is waited for below; a failure meanwhile must not go unheard.
				others?.catch(() => {});
				const { limit, offset } = request;
				const asked = isWide ? { ...request, offset: 0, limit: limit + offset } : request;
				const within = scope && new Set(scope.entries.map(({ id }) => id));
				const found = await scan(documents(session, asked, within), asked, {
					pattern,
					now: () => performance.now(),
					pause: () => new Promise((done) => setImmediate(done)),
					signal,
					words: words?.(),
				});
				const visibilityOf = visibility(session, isCarried);
				const elsewhere = await others;
				if (isWide && elsewhere === undefined) return refuseSearch("stopped");
				const leaves = leavesOn(session.getBranch(), session, handleOf);
				const summaryOf = ({ entry: { id } }: Document) => {
					const leaf = leaves.get(id);
					return leaf === undefined ? [] : [`summary ${leaf}`];
				};
				const named = {
					session: session as SessionReader,
					handleOf,
					suffix: "",
					placeOf: (document: Document) => {
						const seen = visibilityOf(document);
						return [`turn ${document.turn}`, seen, ...(seen === "out of view" ? summaryOf(document) : [])];
					},
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
			resultRows(
				host.tui,
				result,
				context.isError ? "refused" : outcomeOf(result.details),
				expanded,
				theme,
				context.state,
			),
	};
}

/** Summaries that are named where one is unknown. */
const MOST_NAMED = 8;

function noSummary(id: string, session: ExtensionContext["sessionManager"], handleOf: (id: string) => string): string {
	const ids = idsOn(session.getBranch(), session, handleOf).slice(0, MOST_NAMED);
	const others = ids.length > 0 ? `there are ${ids.join(", ")}` : "this branch has none";
	return `no summary has the id ${oneLine(id, 40)}; ${others}`;
}

function outcomeOf(details: SearchDetails | undefined): string {
	const { shown, total } = details ?? {};
	if (!Number.isFinite(shown) || !Number.isFinite(total)) return "nothing";
	return total === 0 ? "no match" : `${shown} of ${total}`;
}
