/**
 * The table of `replay`: a line for each session as soon as it is known, and the sums below.
 */

import { count, tokens } from "../../src-ts/format.ts";
import { money, percent, saving } from "../../src-ts/money.ts";
import type { WireOutcome, WireSession } from "../lab.ts";
import type { Output } from "../output.ts";
import { printable } from "../printable.ts";
import type { Sum, Total } from "./total.ts";

export interface Row extends WireSession {
	path: string;
	title: string;
}

/** Columns of numbers, each as wide as the widest cell that it can have. */
const COLUMNS = [
	["requests", 8],
	["cold", 5],
	["billed", 10],
	["policy", 11],
	["cost", 10],
	["plain Pi", 10],
	["saved", 10],
	["%", 8],
	["misses", 6],
	["peak", 5],
] as const;
const GAP = { wide: "  ", narrow: " " };
/** Widths of the title: where the terminal leaves room, and where it does not. */
const TITLE = { most: 40, least: 16 };

const COST = 4;
const POLICY = 3;
const SAVED = 6;

export class Table {
	readonly #output: Output;
	readonly #policies: readonly string[];
	readonly #columns: readonly number[];
	readonly #title: number;
	/**
	 * The terminal is too narrow for one line: the title stands on a line of its own, and its numbers on as many as they
	 * take.
	 */
	readonly #isNarrow: boolean;
	readonly #gap: string;
	readonly #room: number;
	#hasHead = false;
	#marked = false;

	constructor(output: Output, policies: readonly string[]) {
		this.#output = output;
		this.#policies = policies;
		// One policy stands in the head of its column.
		this.#columns = COLUMNS.map((_, index) => index).filter((index) => index !== POLICY || policies.length > 1);
		const numbers = this.#columns.reduce((sum, index) => sum + this.#width(index) + GAP.wide.length, 0);
		this.#isNarrow = output.columns <= TITLE.least + numbers;
		this.#gap = this.#isNarrow ? GAP.narrow : GAP.wide;
		this.#room = output.columns;
		const room = this.#isNarrow ? output.columns : output.columns - numbers - 1;
		this.#title = Math.max(TITLE.least, Math.min(TITLE.most, room));
	}

	async row(row: Row): Promise<void> {
		if (!this.#hasHead) await this.#head();
		await this.#lines(this.#fit(row.title), row, row.dollars, row.estimated || row.simulated);
	}

	async end(total: Total): Promise<void> {
		if (!this.#hasHead) return;
		await this.#output.write("\n");
		for (const [sum, inDollars] of [
			[total.dollars, true],
			[total.tokens, false],
		] as const) {
			if (sum.sessions === 0) continue;
			const name = `total of ${count(sum.sessions, "session")}`;
			await this.#lines(this.#output.bold(this.#fit(name)), sum, inDollars, sum.estimated);
		}
		const notes = [
			...(this.#marked ? ["~ estimated: no cost, or no use of the cache, was reported"] : []),
			...(total.tokens.sessions > 0 ? ["tok: in tokens of input, where no price is known"] : []),
		];
		for (const note of notes) await this.#output.write(`${this.#output.faint(note)}\n`);
	}

	async #head(): Promise<void> {
		this.#hasHead = true;
		const names = this.#columns.map((index) => this.#name(index).padStart(this.#width(index)));
		await this.#numbers("session".padEnd(this.#title), names, (line) => this.#output.faint(line));
	}

	#name(column: number): string {
		return column === COST && this.#policies.length === 1 ? this.#policies[0]! : COLUMNS[column]![0];
	}

	#width(column: number): number {
		return Math.max(this.#name(column).length, COLUMNS[column]![1]);
	}

	/** Cells that have their widths, behind a title or, where it is narrow, on lines of their own. */
	async #numbers(title: string, cells: readonly string[], style = (line: string) => line): Promise<void> {
		const lines: string[][] = this.#isNarrow ? [] : [[title]];
		let used = Number.POSITIVE_INFINITY;
		for (const [at, cell] of cells.entries()) {
			used += this.#gap.length + this.#width(this.#columns[at]!);
			if (this.#isNarrow && used > this.#room) {
				lines.push([]);
				used = this.#width(this.#columns[at]!);
			}
			lines.at(-1)!.push(cell);
		}
		for (const line of lines) await this.#output.write(`${style(line.join(this.#gap))}\n`);
	}

	/** A line for each policy; what holds for all stands in the first. `title` has its width and is safe to be written. */
	async #lines(title: string, of: WireSession | Sum, inDollars: boolean, marked: boolean): Promise<void> {
		this.#marked ||= marked;
		const plain = of.policies.find(({ policy }) => policy === "plain");
		const shown = this.#policies.flatMap((name) => of.policies.find(({ policy }) => policy === name) ?? []);
		for (const [index, outcome] of shown.entries()) {
			const cells = this.#cells(of, outcome, plain?.cost ?? 0, inDollars, marked);
			const first = index === 0 ? cells : cells.map((cell, column) => (column < POLICY ? "" : cell));
			const padded = this.#columns.map((column) => {
				const cell = first[column]!.padStart(this.#width(column));
				return column === SAVED || column === SAVED + 1 ? this.#saved(cell, plain?.cost ?? 0, outcome.cost) : cell;
			});
			if (this.#isNarrow && index === 0) await this.#output.write(`${title.trimEnd()}\n`);
			await this.#numbers(index > 0 ? "".padEnd(this.#title) : title, padded);
		}
	}

	#cells(of: WireSession | Sum, outcome: WireOutcome, plain: number, inDollars: boolean, marked: boolean): string[] {
		const amount = (value: number) => `${marked ? "~" : ""}${money(value, inDollars)}`;
		return [
			String(of.requests),
			String(of.returns),
			amount(of.billed),
			outcome.policy,
			amount(outcome.cost),
			amount(plain),
			money(plain - outcome.cost, inDollars),
			percent(saving(plain, outcome.cost)),
			String(outcome.misses),
			tokens(outcome.peak),
		];
	}

	#saved(cell: string, plain: number, cost: number): string {
		return cost < plain ? this.#output.green(cell) : cell;
	}

	#fit(title: string): string {
		const safe = printable(title);
		const cut = safe.length > this.#title ? `${safe.slice(0, this.#title - 1)}…` : safe;
		return cut.padEnd(this.#title);
	}
}
