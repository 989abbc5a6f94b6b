/**
 * `/zip`: what pi-zip is doing, what it has saved, and the switches. Changes nothing by itself.
 */

import type { Figures } from "./answers.ts";
import type { GapBin, Status, WireCache, WireSizes } from "./asked.ts";
import { count, span, tokens } from "./format.ts";
import type { ExtensionCommandContext } from "./host.ts";
import type { Choice } from "./state.ts";
import type { Stretches } from "./survival.ts";

const SUBCOMMANDS = {
	status: "What pi-zip is doing now (the same as /zip)",
	stats: "What was folded, recalled and saved in this session, and its bill",
	report: "Write a page on what this session cost, and why",
	export: "Write what the model sees and what it does not, as JSON lines",
	folds: "List what is folded: show an original, unfold it, pin it, undo the last plan",
	"unfold all": "Give everything back that is folded",
	"fold now": "Fold with the next prompt what a cold return would fold",
	settings: "List the settings and change them",
	off: "Send what plain Pi would send",
	on: "Fold again",
	quiet: "Fold without the line under the prompt; again for the line",
} as const;

type Subcommand = keyof typeof SUBCOMMANDS;

/** What the command asks the extension for. */
export interface Controls {
	readonly choice: Choice;
	/** Why folding is paused or switched off by itself; undefined where it is not. */
	readonly paused: string | undefined;
	status(ctx: ExtensionCommandContext): Status;
	survival(ctx: ExtensionCommandContext): GapBin[];
	/** What earlier warm stretches tell of the run's length: how many there were, and the requests in all of them. */
	readonly stretches: Stretches;
	/** The last summary and the settings in force, in lines. */
	more(ctx: ExtensionCommandContext): string[];
	choose(choice: Choice): void;
	/** Writes the session as JSON lines; what to say of it. */
	export(ctx: ExtensionCommandContext): Promise<string>;
	/** Lists what is folded, and does what the user chooses; what to say of it, in lines. */
	folds(ctx: ExtensionCommandContext): Promise<string[]>;
	unfoldAll(ctx: ExtensionCommandContext): Promise<string[]>;
	foldNow(ctx: ExtensionCommandContext): Promise<string[]>;
	/** Lists the settings and changes them as the user wants; what to say of it, in lines. */
	settings(ctx: ExtensionCommandContext): Promise<string[]>;
	/** Writes the page; what to say of it. */
	report(ctx: ExtensionCommandContext): Promise<string>;
	/** The bill of the session by replay, in lines. */
	bill(ctx: ExtensionCommandContext): Promise<string[]>;
}

interface Command {
	description: string;
	getArgumentCompletions(prefix: string): { value: string; label: string; description: string }[] | null;
	handler(args: string, ctx: ExtensionCommandContext): Promise<void>;
}

export function zipCommand(controls: Controls): Command {
	return {
		description: "pi-zip: status, stats, report, export, folds, unfold all, fold now, settings, on, off, quiet",
		getArgumentCompletions(prefix) {
			// With nothing left to complete a suggestion would only take the first Enter.
			if (isSubcommand(prefix.trim())) return null;
			const names = Object.keys(SUBCOMMANDS).filter((name) => name.startsWith(prefix.trim())) as Subcommand[];
			return names.map((name) => ({ value: name, label: name, description: SUBCOMMANDS[name] }));
		},
		async handler(args, ctx) {
			const name = args.trim().replace(/\s+/g, " ") || "status";
			if (!isSubcommand(name)) {
				const known = Object.keys(SUBCOMMANDS);
				const begun = known.find((one) => name.startsWith(`${one} `));
				const why =
					begun === undefined ? `no such command. Known: ${known.join(", ")}` : `/zip ${begun} takes no argument`;
				ctx.ui.notify(`/zip ${name}: ${why}`, "warning");
				return;
			}
			try {
				const lines = await run(name, controls, ctx);
				if (lines.length > 0) ctx.ui.notify(lines.join("\n"), "info");
			} catch (error) {
				const what = error instanceof Error ? error.message : String(error);
				ctx.ui.notify(`pi-zip · /zip ${name} failed (${what}); Pi goes on without it.`, "warning");
			}
		},
	};
}

function isSubcommand(name: string): name is Subcommand {
	return Object.hasOwn(SUBCOMMANDS, name);
}

async function run(name: Subcommand, controls: Controls, ctx: ExtensionCommandContext): Promise<string[]> {
	const { choice } = controls;
	switch (name) {
		case "status":
			return [
				stateLine(controls),
				...figures(() => [
					...statusLines(controls.status(ctx), Date.now()),
					...survivalLines(controls.survival(ctx)),
					stretchLine(controls.stretches),
					...controls.more(ctx),
				]),
			];
		case "stats":
			return [
				"pi-zip · this session",
				...figures(() => statsLines(controls.status(ctx))),
				...(await controls.bill(ctx)),
			];
		case "report":
			return [await controls.report(ctx)];
		case "export":
			return [await controls.export(ctx)];
		case "folds":
			return controls.folds(ctx);
		case "unfold all":
			return controls.unfoldAll(ctx);
		case "fold now":
			return controls.foldNow(ctx);
		case "settings":
			return controls.settings(ctx);
		case "on":
			controls.choose({ ...choice, enabled: true });
			return ["pi-zip · on"];
		case "off":
			controls.choose({ ...choice, enabled: false });
			return ["pi-zip · off: messages go out as plain Pi sends them. Earlier folds stay; recall works."];
		case "quiet":
			controls.choose({ ...choice, quiet: !choice.quiet });
			return [choice.quiet ? "pi-zip · tells of folds again" : "pi-zip · quiet"];
	}
}

function stateLine({ choice, paused }: Controls): string {
	const state = !choice.enabled ? "off" : paused ? `paused: ${paused}` : "on";
	return `pi-zip · ${state}${choice.quiet ? " · quiet" : ""}`;
}

/** The figures, or why there are none: the state above them must show in any case. */
function figures(lines: () => string[]): string[] {
	try {
		return lines();
	} catch (error) {
		return [`no figures: ${error instanceof Error ? error.message : String(error)}`];
	}
}

/** `now` in milliseconds since the epoch. */
export function statusLines(status: Status, now: number): string[] {
	return [
		`cache: ${status.cache.kind}; ${cacheNow(status.cache, now)}`,
		`lifetime: ${lifetime(status.cache)}`,
		`context: ${tokens(status.context)} tokens`,
		`folded: ${sizes(status.folded)}`,
		`a cold return would fold: ${sizes(status.foldable)}`,
		`recalls: ${status.recalls}`,
		...decisionLines(status),
	];
}

/** What the newest decision was made from, and why it was taken or not, in plain words. */
function decisionLines({ figures, reason }: Status): string[] {
	if (!figures || reason === undefined) return ["last decision: none yet since Pi started"];
	const { input, read, write, output, dearerAbove, growth, behind, ahead } = figures;
	const over = (price: number) => (input > 0 ? Number((price / input).toPrecision(3)) : 0);
	const dearer = dearerAbove > 0 ? `, dearer above ${tokens(dearerAbove)}` : "";
	return [
		`prices over input: read ${over(read)}, write ${over(write)}, output ${over(output)}${dearer}`,
		`last decision: ${because(reason, figures)}`,
		`  growth ${tokens(growth)} a request; ${count(behind, "request")} since the cache was cold, ${Math.round(ahead)} to come`,
	];
}

function because(reason: string, { saved, rewritten }: Figures): string {
	const edit = `${tokens(saved)} less to read for ${tokens(rewritten)} written again`;
	const words: { [reason: string]: string } = {
		small: "left alone, warm and too small for an edit to pay",
		justEdited: "left alone, the request before was edited",
		waits: saved > 0 ? `waits, ${edit} does not pay` : "left alone, no edit pays yet",
		ends: "left alone, the run most likely ends, the next prompt decides",
		pays: `folded, ${edit}`,
		nothing: "left alone, nothing is worth folding",
		old: "folded outputs of earlier turns, the cache being cold",
		rereadable: "folded, also what can be had again of the last turns",
		aged: "folded, also what is old in the last turns",
	};
	return words[reason] ?? `left alone, ${reason}`;
}

/** What returns have taught of the cache's life, no line wider than a terminal. */
export function survivalLines(bins: readonly GapBin[]): string[] {
	const seen = bins.filter((bin) => bin.seen > 0);
	if (seen.length === 0) return ["returns: none to learn the lifetime from yet"];
	const parts = seen.map(
		({ from, chance, seen }) => `${span(from)} ${Math.round(100 * chance)} % (${count(seen, "return")})`,
	);
	return wrapped(`lives through: `, parts);
}

/** What the length of a run is expected from. Older stretches fade, so their number is no whole one. */
export function stretchLine([stretches, requests]: Stretches): string {
	const known = Math.round(stretches);
	if (known === 0) return "run length: by this session, no earlier stretch is known";
	const mean = count(Math.round(requests / stretches), "request");
	return `run length: by this session and ${count(known, "earlier stretch", "earlier stretches")}, ${mean} by the mean`;
}

/** Columns of the narrowest terminal that the status is made for. */
const COLUMNS = 80;

function wrapped(label: string, parts: readonly string[]): string[] {
	const lines = [label];
	for (const [index, part] of parts.entries()) {
		const last = lines.at(-1) ?? "";
		const piece = index === parts.length - 1 ? part : `${part}, `;
		if (index > 0 && last.length + piece.trimEnd().length > COLUMNS) lines.push(`  ${piece}`);
		else lines[lines.length - 1] = last + piece;
	}
	return lines.map((line) => line.trimEnd());
}

export function statsLines(status: Status): string[] {
	return [
		`folded: ${sizes(status.foldedEver)}`,
		`recalls: ${status.recalls}`,
		`tokens: ${status.factor.toFixed(2)} × characters / 4${status.fromReports ? ", by the provider's reports" : ", assumed"}`,
	];
}

function sizes({ count: outputs, tokens: held }: WireSizes): string {
	return outputs === 0 ? "nothing" : `${count(outputs, "output")}, ${tokens(held)} tokens`;
}

function cacheNow(cache: WireCache, now: number): string {
	switch (cache.state) {
		case "warm":
			return `warm, goes cold in ${span((cache.coldAt ?? now) - now)}`;
		case "cold":
			return cache.because === "expired" ? `cold after ${span(cache.idle ?? 0)} idle` : coldBecause(cache);
		default:
			return "no request yet";
	}
}

function coldBecause(cache: WireCache): string {
	return cache.because === "modelChanged" ? "cold: another model than the last answer's" : "none in use";
}

function lifetime(cache: WireCache): string {
	if (cache.lifetime === undefined) return "no cache";
	const source = {
		override: "set by PI_ZIP_TTL_SECS",
		declared: `declared by the model (${cache.retention} retention)`,
		assumed: "assumed: the model declares none",
		observed: "seen in what the provider wrote",
		learned: "learned from returns",
	}[cache.source];
	return `${span(cache.lifetime)}, ${source}`;
}
