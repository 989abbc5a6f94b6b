/**
 * What the user is told: at most one line a turn, and only where something was folded or changed.
 *
 * In the terminal a fold is an entry of the transcript that the model never sees, drawn under the prompt before the
 * answer comes. Over RPC it is a notification. Print and JSON modes say nothing.
 */

import type { Plan, WireCache } from "./asked.ts";
import { count, dollars, span, tokens } from "./format.ts";
import type { Component, EntryRenderOptions, ExtensionAPI, ExtensionContext, Host, Theme } from "./host.ts";

/** Custom type of the entry that tells of a fold. */
export const FOLD_ENTRY = "pi-zip.fold";

/** What a fold notice keeps: numbers and names, no output text. */
export interface FoldNotice {
	readonly version: 1;
	/** Real tokens of the context before and after. */
	readonly before: number;
	readonly after: number;
	readonly reason: string;
	/** The model had the recall tool. */
	readonly recallable: boolean;
	/** The largest first, at most as many as are worth reading. */
	readonly folds: readonly FoldedItem[];
	/** Folds that are not listed. */
	readonly more?: number;
	/** At a cold return: what its prompt would have cost, and what it costs now. */
	readonly cost?: Cost;
}

/** Two amounts to be compared, in dollars where prices are known. */
export interface Cost {
	readonly before: number;
	readonly after: number;
	readonly inDollars: boolean;
}

export interface FoldedItem {
	readonly handle: string;
	/** What produced the output. */
	readonly subject: string;
	readonly tokens: number;
}

/** Folds that a notice lists: the session keeps it for good, and nobody reads thousands. */
const MOST_LISTED = 50;

/** The list of a notice. */
export function listed(folds: readonly FoldedItem[]): Pick<FoldNotice, "folds" | "more"> {
	const largest = [...folds].sort((one, other) => other.tokens - one.tokens).slice(0, MOST_LISTED);
	return folds.length > largest.length ? { folds: largest, more: folds.length - largest.length } : { folds: largest };
}

/** Why a return counts as cold, in plain words. */
export function coldReason(cache: WireCache): string {
	switch (cache.because) {
		case "modelChanged":
			return "another model, so nothing is cached";
		case "noCache":
			return "no prompt cache in use";
		default:
			return `the prompt cache expired (${span(cache.idle ?? 0)} idle, lives ${span(cache.lifetime ?? 0)})`;
	}
}

/** Why an edit is made though the cache is warm, in plain words. */
export function warmReason({ figures }: Pick<Plan, "figures">): string {
	const { saved, rewritten, ahead } = figures;
	return `it pays: ${tokens(saved)} less in each of about ${Math.round(ahead)} more requests, for ${tokens(rewritten)} written again`;
}

/** What is said once where the provider keeps another tier than was asked for. */
export function tierNote(cache: WireCache): string {
	return `this provider keeps its prompt cache ${cache.retention === "long" ? "for an hour" : "for the short time"}, whatever is asked for`;
}

/** The line without colours: what RPC clients show. */
export function foldLine(notice: FoldNotice): string {
	const { before, after, cost, reason } = notice;
	const parts = [`${count(total(notice), "output")} folded`, ...(cost ? [price(cost)] : []), reason];
	return `pi-zip · ${tokens(before)} → ${tokens(after)} · ${parts.join(" · ")}`;
}

function price({ before, after, inDollars }: Cost): string {
	if (inDollars) return `${dollars(before)} → ${dollars(after)}`;
	return `costs ${before > 0 ? Math.round((100 * (before - after)) / before) : 0} % less`;
}

function total({ folds, more = 0 }: FoldNotice): number {
	return folds.length + more;
}

export class Notices {
	readonly #pi: ExtensionAPI;
	quiet = false;

	constructor(pi: ExtensionAPI, host: Host) {
		this.#pi = pi;
		pi.registerEntryRenderer<FoldNotice>(FOLD_ENTRY, (entry, options, theme) =>
			isFoldNotice(entry.data) ? new FoldLines(entry.data, options, theme, host) : undefined,
		);
	}

	/** Tells of a fold. In the terminal this appends an entry, so only while a run is going on. */
	folded(notice: FoldNotice, ctx: ExtensionContext): void {
		if (this.quiet) return;
		if (ctx.mode === "tui") this.#pi.appendEntry(FOLD_ENTRY, notice);
		else if (ctx.hasUI) ctx.ui.notify(foldLine(notice), "info");
	}

	/** Tells of anything else, even when quiet: it changes what pi-zip does. */
	say(line: string, ctx: ExtensionContext, level: "info" | "warning" = "info"): void {
		if (ctx.hasUI) ctx.ui.notify(line, level);
	}

	/** Warns once in the life of the process. */
	sayOnce(line: string, ctx: ExtensionContext): void {
		if (warned.has(line)) return;
		warned.add(line);
		this.say(line, ctx, "warning");
	}
}

/** What was warned of: a session that takes another's place begins anew, but in the same process. */
const warned = new Set<string>();

function isFoldNotice(data: unknown): data is FoldNotice {
	const notice = data as Partial<FoldNotice> | undefined;
	if (notice?.version !== 1 || !Array.isArray(notice.folds)) return false;
	const { before, after, more = 0, cost = { before: 0, after: 0 } } = notice;
	const numbers = [before, after, more, cost?.before, cost?.after, ...notice.folds.map((fold) => fold?.tokens)];
	const texts = [notice.reason, ...notice.folds.flatMap((fold) => [fold?.handle, fold?.subject])];
	return numbers.every(Number.isFinite) && texts.every((text) => typeof text === "string");
}

/** Cells of the bar that shows what is left of the context. */
const BAR = 8;

class FoldLines implements Component {
	readonly #notice: FoldNotice;
	readonly #expanded: boolean;
	readonly #theme: Theme;
	readonly #host: Host;

	constructor(notice: FoldNotice, options: EntryRenderOptions, theme: Theme, host: Host) {
		this.#notice = notice;
		this.#expanded = options.expanded;
		this.#theme = theme;
		this.#host = host;
	}

	render(width: number): string[] {
		const { before, after, cost, folds, more, reason, recallable } = this.#notice;
		const left = before > 0 ? Math.min(BAR, Math.max(1, Math.round((after / before) * BAR))) : BAR;
		const bar = this.#theme.fg("accent", "█".repeat(left)) + this.#theme.fg("dim", "░".repeat(BAR - left));
		const plainSizes = `${tokens(before)} → ${tokens(after)}`;
		const sizes = this.#theme.bold(plainSizes);
		const folded = `${total(this.#notice)} folded`;
		const told = cost ? `${price(cost)} · ${folded}` : folded;
		// A narrow terminal gets the figures alone.
		const fits = ` ${plainSizes} ${told} · pi-zip`.length + BAR < width;
		const muted = (text: string) => this.#theme.fg("muted", text);
		const lines = [fits || !cost ? ` ${sizes} ${bar} ${muted(`${told} · pi-zip`)}` : ` ${sizes} ${muted(told)}`];
		if (this.#expanded) {
			const plain = this.#host.tui.replaceControlCharacters;
			lines.push(this.#theme.fg("muted", `   ${plain(reason)}${recallable ? "; each comes back by zip_recall" : ""}`));
			for (const fold of folds) {
				const size = this.#theme.fg("dim", tokens(fold.tokens).padStart(6));
				lines.push(`${size}  ${this.#theme.fg("dim", plain(fold.handle))} ${plain(fold.subject)}`);
			}
			if (more) lines.push(this.#theme.fg("dim", `        and ${more} smaller`));
		}
		return lines.map((line) => this.#host.tui.truncateToWidth(line, width));
	}

	invalidate(): void {}
}
