/**
 * What a summary covers, without reading it: entries by kind, files with what was done to them, size, and what reading all
 * of it would cost.
 */

import { isRecord, stringOf } from "../content.ts";
import { count, dollars, tokens } from "../format.ts";
import type { SessionEntry } from "../host.ts";
import { isToolResult, type SessionReader, subjectOf } from "../recall/originals.ts";
import { oneLine } from "../recall/request.ts";
import { type Covered, textsOf, unitsOf } from "../recall/summaries.ts";
import { structureOf } from "../structure.ts";
import type { Derive } from "../summary/tree.ts";

/** UTF-16 units a token, as text of real sessions has. */
const UNITS_A_TOKEN = 3;
const FILES_SHOWN = 40;
const PATH_UNITS = 160;

/** What a tool does to the file that it names. */
const OPERATIONS: Readonly<Record<string, string>> = {
	read: "read",
	edit: "edited",
	multiedit: "edited",
	multi_edit: "edited",
	write: "written",
};

interface File {
	readonly counts: Map<string, number>;
	/** The newest result that showed the file, else the newest of all. */
	newest: SessionEntry;
}

/** `price` of a token of input, in dollars; undefined where the model declares none. */
export function overview(session: SessionReader, covered: Covered, price: number | undefined, derive: Derive): string {
	const { summary, entries } = covered;
	const told = entries.filter((entry) => textsOf(entry).length > 0);
	const roles = told.map((entry) => textsOf(entry)[0]?.role);
	const units = unitsOf(entries);
	const size = units / UNITS_A_TOKEN;
	const kinds = [
		count(roles.filter((role) => role === "user").length, "message of the user", "messages of the user"),
		count(roles.filter((role) => role === "assistant" || role === "call").length, "answer"),
		count(roles.filter((role) => role === "tool").length, "output"),
	];
	const cost = price ? ` (${dollars(size * price)} as input)` : "";
	const files = filesIn(session, entries);
	const rows = [...files].slice(-FILES_SHOWN).map(([path, { counts, newest }]) => {
		const done = [...counts].map(([name, times]) => `${name} ${times}`).join(", ");
		const structure = counts.has("read") ? structureOf(textsOf(newest)[0]?.text ?? "") : "";
		return `- ${derive(newest.id)}, ${done}: ${oneLine(path, PATH_UNITS)}${structure && ` · ${structure}`}`;
	});
	const more = files.size > rows.length ? [`${files.size - rows.length} more files`] : [];
	return [
		`[zip_search: summary ${summary.id} of depth ${summary.depth} covers ${count(told.length, "entry", "entries")} from ${summary.first} to ${summary.last}: ${kinds.join(", ")}; ${units} characters. Reading all takes about ${tokens(size)} tokens${cost}.]`,
		...(summary.children.length > 0 ? [`Summaries below it: ${summary.children.map(({ id }) => id).join(", ")}`] : []),
		...(rows.length > 0 ? ["Files, the newest last:", ...more, ...rows] : []),
		`[zip_recall {"handle":"${summary.id}"} lists the entries and pages their originals; a query or pattern searches in it.]`,
	].join("\n");
}

/** By path, in the order in which they were last used. */
function filesIn(session: SessionReader, entries: Covered["entries"]): Map<string, File> {
	const files = new Map<string, File>();
	for (const entry of entries) {
		if (!isToolResult(entry) || entry.type !== "message") continue;
		const message: unknown = entry.message;
		const { toolName, isError } = isRecord(message) ? message : {};
		const operation = OPERATIONS[stringOf(toolName)];
		const path = operation && isError !== true ? subjectOf(session, entry) : "";
		if (!operation || path === "") continue;
		const file = files.get(path) ?? { counts: new Map(), newest: entry };
		file.counts.set(operation, (file.counts.get(operation) ?? 0) + 1);
		if (operation === "read" || !file.counts.has("read")) file.newest = entry;
		files.delete(path);
		files.set(path, file);
	}
	return files;
}
