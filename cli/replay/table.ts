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

/** Columns of numbers with their widths. */
const COLUMNS = [
	["requests", 8],
	["returns", 7],
	["billed", 10],
	["policy", 11],
	["cost", 10],
	["plain Pi", 10],
	["saved", 10],
	["", 7],
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
	/** The terminal is too narrow for one line: the title stands on a line of its own. */
	readonly #isNarrow: boolean;
	readonly #gap: string;
	#hasHead = false;
	#marked = false;

	constructor(output: Output, policies: readonly string[]) {
		this.#output = output;
		this.#policies = policies;
		// One policy stands in the head of its column.
		this.#columns = COLUMNS.map((_, index) => index).filter((index) => index !== POLICY || policies.length > 1);
		const numbers = this.#columns.reduce((sum, index) => sum + COLUMNS[index]![1] + GAP.wide.length, 0);
		this.#isNarrow = output.columns <= TITLE.least + numbers;
		this.#gap = this.#isNarrow ? GAP.narrow : GAP.wide;
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
			...(total.tokens.sessions > 0 ? ["tok: in tokens of input, where no dollars were recorded"] : []),
		];
		for (const note of notes) await this.#output.write(`${this.#output.faint(note)}\n`);
	}

	async #head(): Promise<void> {
		this.#hasHead = true;
		const cells = this.#columns.map((index) => {
			const name = index === COST && this.#policies.length === 1 ? this.#policies[0]! : COLUMNS[index]![0];
			return name.padStart(this.#width(index));
		});
		const head = this.#isNarrow ? cells : ["session".padEnd(this.#title), ...cells];
		await this.#output.write(`${this.#output.faint(head.join(this.#gap))}\n`);
	}

	#width(column: number): number {
		const [name, width] = COLUMNS[column]!;
		return this.#isNarrow && name !== "" ? Math.max(name.length, width - 1) : width;
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
			const name = index > 0 ? "".padEnd(this.#title) : title;
			if (!this.#isNarrow) await this.#output.write(`${[name, ...padded].join(this.#gap)}\n`);
			else await this.#output.write(`${index > 0 ? "" : `${title.trimEnd()}\n`}${padded.join(this.#gap)}\n`);
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
