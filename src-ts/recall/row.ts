/**
 * Draws a call of one of our tools in Pi's transcript: one line for call and result together, and what came back when the
 * row is expanded. Nothing drawn here reaches the model.
 */

import type { AgentToolResult, Theme } from "@earendil-works/pi-coding-agent";
import type { Component, truncateToWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import type { RecallDetails } from "./answer.ts";
import { oneLine } from "./request.ts";

/** What of Pi's terminal library is used. */
export interface Drawing {
	truncateToWidth: typeof truncateToWidth;
	wrapTextWithAnsi: typeof wrapTextWithAnsi;
}

/** Pi keeps one for each row, and hands it to the call's and the result's renderer. */
export interface RowState {
	outcome?: string;
}

/** Units of an argument in the row; the width of a terminal cuts the row anyway. */
const ARGUMENT_UNITS = 80;
/** Terminal lines of an expanded row. */
const LINES_SHOWN = 400;
/** Colour and other sequences that a terminal would obey. */
const SEQUENCES = /\x1b(?:\[[0-9;:?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])/g;

/** The row's one line. The outcome is looked up when it is drawn: the result's renderer runs after this one. */
export function callRow(
	drawing: Drawing,
	name: string,
	args: Readonly<Record<string, unknown>>,
	theme: Theme,
	state: RowState,
): Component {
	const quoted = (text: unknown) => (text ? oneLine(JSON.stringify(text) ?? "", ARGUMENT_UNITS) : []);
	const handles = [args.handle, args.handles].flat().filter((handle) => typeof handle === "string");
	const named = handles.map((handle) => oneLine(handle, ARGUMENT_UNITS));
	const subjects = [...named, quoted(args.query), quoted(args.pattern), quoted(args.question)].flat();
	const options = [
		args.where ? `in ${oneLine(String(args.where), ARGUMENT_UNITS)}` : "",
		args.grep ? `grep ${oneLine(JSON.stringify(args.grep) ?? "", ARGUMENT_UNITS)}` : "",
		args.range ? `lines ${oneLine(String(args.range), ARGUMENT_UNITS)}` : "",
		args.offset ? `from ${oneLine(String(args.offset), ARGUMENT_UNITS)}` : "",
	].filter(Boolean);
	const title = theme.fg("toolTitle", theme.bold(name));
	const what = theme.fg("accent", subjects.join(", "));
	const how = options.length > 0 ? ` ${theme.fg("muted", options.join(", "))}` : "";
	return {
		render(width) {
			const outcome = state.outcome === undefined ? "" : theme.fg("muted", ` · ${state.outcome}`);
			return [drawing.truncateToWidth(`${title} ${what}${how}${outcome}`, width, "…")];
		},
		invalidate() {},
	};
}

/** Nothing while collapsed: the call's line says it. */
export function resultRows(
	drawing: Drawing,
	result: Pick<AgentToolResult<unknown>, "content">,
	outcome: string,
	expanded: boolean,
	theme: Theme,
	state: RowState,
): Component {
	state.outcome = outcome;
	let drawn: { width: number; lines: string[] } | undefined;
	return {
		render(width) {
			if (!expanded) return [];
			if (drawn?.width !== width) {
				// A session file may hold anything, and what a renderer throws ends Pi.
				const content: unknown[] = Array.isArray(result.content) ? result.content : [];
				const blocks = content.flatMap((block) => {
					const text = (block as { text?: unknown } | null)?.text;
					return typeof text === "string" ? [text] : [];
				});
				drawn = { width, lines: expandedRows(drawing, blocks, theme, width) };
			}
			return drawn.lines;
		},
		invalidate() {
			drawn = undefined;
		},
	};
}

export function recallOutcome(details: RecallDetails | undefined, isError: boolean): string {
	const { quotes } = details?.read ?? {};
	if (Number.isFinite(quotes)) return `read, ${quotes === 1 ? "1 quote" : `${quotes} quotes`}`;
	const pages: unknown = details?.recalled;
	const recalled = (Array.isArray(pages) ? (pages as RecallDetails["recalled"]) : []).filter((page) =>
		[page?.from, page?.to, page?.of].every(Number.isFinite),
	);
	if (recalled.length === 0) {
		if (details?.unknown?.length) return "unknown handle";
		return details?.lost?.length ? "lost" : isError ? "refused" : "nothing";
	}
	const units = recalled.reduce((sum, page) => sum + page.to - page.from, 0);
	const isWhole = recalled.every((page) => page.to - page.from === page.of);
	const of = recalled.reduce((sum, page) => sum + page.of, 0);
	return isWhole ? `${units} characters` : `${units} of ${of} characters`;
}

/** A line without what a terminal would obey. */
export function plainLine(line: string): string {
	return line
		.replace(SEQUENCES, "")
		.replaceAll("\t", "   ")
		.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
		.trimEnd();
}

function expandedRows(drawing: Drawing, blocks: readonly string[], theme: Theme, width: number): string[] {
	const rows: string[] = [];
	for (const block of blocks) {
		for (const line of block.split("\n")) {
			const bare = plainLine(line);
			// One long line may fill all the rows there are, never more.
			const fits = bare.slice(0, width * LINES_SHOWN);
			for (const row of drawing.wrapTextWithAnsi(fits, width)) {
				if (rows.length === LINES_SHOWN) return [...rows, drawing.truncateToWidth(theme.fg("muted", "…"), width)];
				rows.push(theme.fg("toolOutput", row));
			}
		}
	}
	return rows;
}
