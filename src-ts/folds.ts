/**
 * Taking folds back: `/zip folds`, `/zip unfold all` and `/zip fold now`. Says what a change costs before it is made, and
 * writes down at once what the user decides; it takes effect with the next request (`folds/restore.ts`, `run.ts`).
 */

import type { Status } from "./asked.ts";
import { type ImageBlock, imagesIn, type TextBlock } from "./content.ts";
import { addedBy, type Change, costLine } from "./folds/cost.ts";
import { FOLD_NOW_ENTRY, KEEP_ENTRY } from "./folds/kept.ts";
import { type Item, itemsOf, keptOf } from "./folds/list.ts";
import { Pager } from "./folds/pager.ts";
import { Picker, type Place } from "./folds/picker.ts";
import { isFoldAsked, standingsOf } from "./folds/standing.ts";
import { count, tokens } from "./format.ts";
import type { ExtensionAPI, ExtensionCommandContext, Host, SessionEntry } from "./host.ts";
import { imageName } from "./recall/image.ts";
import { partsOf } from "./recall/parts.ts";
import { plainLine } from "./recall/row.ts";

export interface FoldParts {
	readonly pi: Pick<ExtensionAPI, "appendEntry">;
	readonly host: Host;
	handleOf(entryId: string): string;
	status(ctx: ExtensionCommandContext): Status;
	/** See `SessionCore.readUpTo`. */
	readUpTo(changed: readonly string[], ctx: ExtensionCommandContext): number;
	/** Something was undone. */
	changed(): void;
	/** Why nothing would be folded; undefined where it would. */
	refused(): string | undefined;
}

const SHOW = "Show the original";
const UNFOLD = "Unfold: the model sees it again, and it is not folded again";
const UNFOLD_PLAN = "Undo the whole plan that folded it";
const PIN = "Pin: never fold it";
const UNPIN = "Unpin: fold it again when that pays";
const UNPIN_ALL = "Unpin all that is pinned";

export class Folds {
	readonly #parts: FoldParts;

	constructor(parts: FoldParts) {
		this.#parts = parts;
	}

	/** The list, until the user leaves it; what to say of what was done. */
	async browse(ctx: ExtensionCommandContext): Promise<string[]> {
		const done: string[] = [];
		const place: Place = { filter: "", at: 0 };
		for (;;) {
			const items = this.#items(ctx);
			const counted = (state: Item["state"]) => items.filter((item) => item.state === state).length;
			const [folded, pinned] = [counted("folded"), counted("pinned")];
			if (items.length === 0) return [...done, "pi-zip · nothing is folded, and no output in view is large"];
			const kept = pinned > 0 ? `, ${pinned} pinned` : "";
			const title = `${count(folded, "output")} folded${kept}, ${counted("in view")} large in view`;
			if (!ctx.hasUI) return [`pi-zip · ${title}`, ...items.map(({ label }) => label)];
			const item = await this.#pick(ctx, title, items, place);
			if (!item) return done;
			const said = await this.#act(ctx, item, items);
			if (said !== undefined) done.push(said);
		}
	}

	/** Gives all back that is in view: what a compaction has taken out of it does not come back by an edit. */
	async unfoldAll(ctx: ExtensionCommandContext): Promise<string[]> {
		const { folds } = standingsOf(ctx.sessionManager);
		const { entries: projected } = ctx.sessionManager.buildSessionProjection();
		const entries = projected.flatMap(({ sourceEntry, messages }) =>
			messages.length > 0 && folds.has(sourceEntry.id) ? [sourceEntry] : [],
		);
		if (entries.length === 0) return ["pi-zip · nothing is folded"];
		return [(await this.#keep(ctx, entries)) ?? "pi-zip · left as it is"];
	}

	/** Folds at the next request what a cold return would fold. */
	async foldNow(ctx: ExtensionCommandContext): Promise<string[]> {
		const refused = this.#parts.refused();
		if (refused) return [`pi-zip · nothing is folded: ${refused}`];
		const status = this.#parts.status(ctx);
		const { cache, foldable, firstFoldable } = status;
		if (foldable.count === 0) return ["pi-zip · a cold return would fold nothing now"];
		if (isFoldAsked(ctx.sessionManager)) return ["pi-zip · asked for already: it comes with the next prompt"];
		const what = `${count(foldable.count, "output")} (${tokens(foldable.tokens)} tokens)`;
		if (cache.state === "warm") {
			const first = firstFoldable === undefined ? [] : [firstFoldable];
			const change = () => ({ added: -foldable.tokens, read: this.#parts.readUpTo(first, ctx) });
			if (!(await this.#agreed(ctx, `Fold ${what}?`, status, change))) return ["pi-zip · left as it is"];
		}
		this.#parts.pi.appendEntry(FOLD_NOW_ENTRY, {});
		return [`pi-zip · folds ${what} with the next prompt`];
	}

	#items(ctx: ExtensionCommandContext): Item[] {
		const factor = this.#status(ctx)?.factor ?? 1;
		return itemsOf(ctx.sessionManager, factor, this.#parts.handleOf);
	}

	/** Undefined where the core fails: folds are taken back without it. */
	#status(ctx: ExtensionCommandContext): Status | undefined {
		try {
			return this.#parts.status(ctx);
		} catch {
			return undefined;
		}
	}

	async #pick(
		ctx: ExtensionCommandContext,
		title: string,
		items: readonly Item[],
		place: Place,
	): Promise<Item | undefined> {
		if (ctx.mode !== "tui") {
			const label = await ctx.ui.select(
				title,
				items.map(({ label }) => label),
			);
			return items.find((item) => item.label === label);
		}
		const { host } = this.#parts;
		return ctx.ui.custom<Item | undefined>((...screen) => new Picker<Item>(title, items, place, host, screen));
	}

	/** What the user does with one of the list; what to say of it. */
	async #act(ctx: ExtensionCommandContext, item: Item, items: readonly Item[]): Promise<string | undefined> {
		const isFolded = item.state === "folded";
		const plan = items.filter(({ plan }) => isFolded && plan === item.plan);
		const last = Math.max(...items.map(({ plan }) => plan));
		const isWhole = isFolded && item.plan === last && plan.length > 1;
		const undo = `${UNFOLD_PLAN} (${count(plan.length, "output")})`;
		const releasable = items.filter(({ canRelease }) => canRelease);
		const unpinAll = `${UNPIN_ALL} (${count(releasable.length, "output")})`;
		const actions = [SHOW];
		if (isFolded) actions.push(UNFOLD, ...(isWhole ? [undo] : []));
		else if (item.state === "in view") actions.push(PIN);
		else if (item.canRelease) actions.push(UNPIN, ...(releasable.length > 1 ? [unpinAll] : []));
		const chosen = await ctx.ui.select(item.label.trim(), actions);
		switch (chosen) {
			case SHOW:
				await this.#show(ctx, item);
				return undefined;
			case UNFOLD:
				return this.#keep(ctx, [item.entry]);
			case undo:
				return this.#keep(
					ctx,
					plan.map(({ entry }) => entry),
				);
			case PIN:
				this.#write([item.entry]);
				return `pi-zip · ${item.handle} is never folded`;
			case UNPIN:
				this.#write([item.entry], true);
				return `pi-zip · ${item.handle} may be folded again`;
			case unpinAll:
				this.#write(
					releasable.map(({ entry }) => entry),
					true,
				);
				return `pi-zip · ${count(releasable.length, "output")} may be folded again`;
			default:
				return undefined;
		}
	}

	async #show(ctx: ExtensionCommandContext, item: Item): Promise<void> {
		const text = shownOf(item.entry);
		if (ctx.mode !== "tui") {
			await ctx.ui.editor(item.label.trim(), text);
			return;
		}
		const plain = text.split("\n").map(plainLine).join("\n");
		await ctx.ui.custom<void>(
			(screen, theme, keys, done) =>
				new Pager(item.label.trim(), plain, this.#parts.host, [screen, theme, keys, () => done()]),
		);
	}

	/** Unfolds, once the user knows what it costs; undefined where it was left. */
	async #keep(ctx: ExtensionCommandContext, entries: readonly SessionEntry[]): Promise<string | undefined> {
		const status = this.#status(ctx);
		const what = count(entries.length, "output");
		if (!status || status.cache.state === "warm") {
			const ids = entries.map(({ id }) => id);
			const change = () => ({
				added: addedBy(ctx.sessionManager, entries, status?.factor ?? 1),
				read: this.#parts.readUpTo(ids, ctx),
			});
			if (!(await this.#agreed(ctx, `Unfold ${what}?`, status, change))) return undefined;
		}
		this.#write(entries);
		return `pi-zip · ${what} unfolded: in view again with the next request`;
	}

	/** Whether the user wants it, and knows what it costs. */
	async #agreed(
		ctx: ExtensionCommandContext,
		question: string,
		status: Status | undefined,
		change: () => Change,
	): Promise<boolean> {
		return !ctx.hasUI || ctx.ui.confirm(question, costLine(ctx, status, change));
	}

	#write(entries: readonly SessionEntry[], released = false): void {
		for (const entry of entries) this.#parts.pi.appendEntry(KEEP_ENTRY, keptOf(entry, released));
		this.#parts.changed();
	}
}

/** An original to read: its texts, and the names of its images where they stand. */
function shownOf(entry: SessionEntry): string {
	const content: unknown = entry.type === "message" && "content" in entry.message ? entry.message.content : undefined;
	if (!Array.isArray(content) || !imagesIn(content)?.length) return partsOf(entry)[0]?.text ?? "";
	const blocks = content as (TextBlock | ImageBlock)[];
	return blocks.map((block) => (block.type === "text" ? block.text : `[${imageName(block)}]`)).join("\n");
}
