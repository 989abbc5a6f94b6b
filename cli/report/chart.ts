/**
 * The chart of a report: what each request cost, what happened, and how large the context was, above one time axis.
 *
 * Plain SVG, readable without its script. The axis of amounts is a drawing of its own, so that it stays where it is while
 * the rest scrolls.
 */

import { count, span, tokens } from "../../src-ts/format.ts";
import { money } from "../../src-ts/money.ts";
import type { WireRequest } from "../lab.ts";
import { escaped, short, tag } from "./escape.ts";
import type { EventKind, SessionEvent } from "./events.ts";
import { PARTS, STACK } from "./parts.ts";
import { type Timeline, timeline } from "./timeline.ts";

/** Pixels from the top. */
const COST = { top: 26, height: 230 };
const LANES = { top: 268, each: 18 };
const CONTEXT = { top: 338, height: 130 };
const HEIGHT = 500;
const AXIS_WIDTH = 58;
const LINES = 4;

/** Lanes of marks, from the top, and what is in them. */
const LANE: Readonly<Record<EventKind, number>> = {
	fold: 0,
	would: 0,
	edit: 0,
	back: 1,
	recall: 1,
	compaction: 2,
	summary: 2,
};

export const EVENT_NAMES: Readonly<Record<EventKind, string>> = {
	fold: "Folded",
	would: "pi-zip would fold",
	back: "Taken back",
	recall: "Recalled",
	compaction: "Compaction",
	summary: "Summary",
	edit: "Edited by another extension",
};

export interface ChartData {
	requests: readonly WireRequest[];
	events: readonly SessionEvent[];
	inDollars: boolean;
}

export function chart({ requests, events, inDollars }: ChartData): string {
	const line = timeline(requests);
	const costs = requests.map((request) => request.money.reduce((sum, part) => sum + part, 0));
	const cost = scale(Math.max(...costs, 0), COST);
	const sizes = requests.map(sizeOf);
	const context = scale(Math.max(...sizes, ...requests.map(({ zip }) => zip.size), 0), CONTEXT);
	const axis = [
		...cost.marks.map((mark) => axisLabel(cost.y(mark), mark === 0 ? "0" : money(mark, inDollars))),
		...context.marks.map((mark) => axisLabel(context.y(mark), tokens(mark))),
	];
	const grid = [...cost.marks.map(cost.y), ...context.marks.map(context.y)];
	const body = [
		...line.gaps.map(gap),
		...grid.map((y) => tag("line", { class: "grid", x1: 0, x2: line.width, y1: y, y2: y })),
		tag("text", { class: "heading", x: 4, y: 14 }, "Cost of each request"),
		tag("text", { class: "heading", x: 4, y: CONTEXT.top - 12 }, "Context size"),
		...requests.map((request, index) => bar(request, line.x[index]!, line.bar, cost.y)),
		...contextLines(requests, sizes, line, context.y),
		...ticks(line),
		tag("rect", {
			id: "cursor",
			x: -9,
			y: COST.top - 6,
			width: line.bar + 4,
			height: CONTEXT.top + CONTEXT.height - COST.top + 6,
		}),
		...events.map((event, index) => marker(event, index, line)),
	];
	const fixed = svg(AXIS_WIDTH, "axis", "", axis.join(""));
	const label = `${count(requests.length, "request")}. Arrow keys go from one to the next; the table below holds the same.`;
	const drawing = svg(line.width, "drawing", label, body.join(""));
	const data = line.x.map(short).join(" ");
	return `<div class="chart">${fixed}<div class="scroll" id="chart" tabindex="0" role="group" aria-label="${escaped(label)}" data-x="${data}" data-bar="${short(line.bar)}">${drawing}</div></div>`;
}

/** Tokens of a request as billed, its answer left out. */
export function sizeOf(request: WireRequest): number {
	return request.tokens.slice(0, -1).reduce((sum, part) => sum + part, 0);
}

function svg(width: number, name: string, label: string, content: string): string {
	return tag(
		"svg",
		{
			class: name,
			width,
			height: HEIGHT,
			viewBox: `0 0 ${short(width)} ${HEIGHT}`,
			"aria-hidden": label === "" ? "true" : undefined,
			role: label === "" ? undefined : "img",
			"aria-label": label === "" ? undefined : label,
		},
		content,
	);
}

interface Scale {
	y(value: number): number;
	marks: number[];
}

/** From zero to a round number above the largest value. */
function scale(largest: number, { top, height }: { top: number; height: number }): Scale {
	const step = roundUp((largest > 0 ? largest : 1) / LINES);
	const steps = Math.max(1, Math.ceil(largest / step - 1e-9));
	const most = step * steps;
	return {
		y: (value) => top + height * (1 - value / most),
		marks: Array.from({ length: steps + 1 }, (_, index) => index * step),
	};
}

/** The next of 1, 2, 2.5, 5 and their powers of ten. */
function roundUp(value: number): number {
	const power = 10 ** Math.floor(Math.log10(value));
	const digit = [1, 2, 2.5, 5, 10].find((round) => value <= round * power * (1 + 1e-9)) ?? 10;
	return digit * power;
}

function axisLabel(y: number, text: string): string {
	return tag("text", { class: "amount", x: AXIS_WIDTH - 6, y: y + 4 }, escaped(text));
}

function bar(request: WireRequest, x: number, width: number, y: (value: number) => number): string {
	let below = 0;
	return STACK.map((part) => {
		const amount = request.money[part] ?? 0;
		if (amount <= 0) return "";
		const [from, to] = [y(below), y(below + amount)];
		below += amount;
		return tag("rect", { class: `p-${PARTS[part]!.key}`, x, y: to, width, height: Math.max(0.3, from - to) });
	}).join("");
}

function gap({ x, width, idle }: Timeline["gaps"][number]): string {
	const height = CONTEXT.top + CONTEXT.height - COST.top;
	const middle = x + width / 2 + 2;
	const turned = {
		class: "idle",
		x: middle,
		y: COST.top + 6,
		transform: `rotate(-90 ${short(middle)} ${COST.top + 6})`,
	};
	const text = tag("text", turned, escaped(span(idle)));
	return tag("rect", { class: "gap", x: x + 2, y: COST.top, width: width - 4, height }) + text;
}

/** Steps from request to request, broken where work paused. */
function contextLines(
	requests: readonly WireRequest[],
	sizes: readonly number[],
	line: Timeline,
	y: (value: number) => number,
): string[] {
	const base = y(0);
	const runs: { from: number; to: number }[] = [];
	for (const index of requests.keys()) {
		const last = runs.at(-1);
		const x = line.x[index]!;
		const paused = last !== undefined && line.gaps.some((gap) => gap.x > line.x[index - 1]! && gap.x < x);
		if (last === undefined || paused) runs.push({ from: index, to: index });
		else last.to = index;
	}
	return runs.flatMap(({ from, to }) => {
		const path = (of: (index: number) => number) => {
			let drawn = "";
			for (let index = from; index <= to; index++) {
				const end = index === to ? line.x[index]! + line.bar : line.x[index + 1]!;
				drawn += `${index === from ? "M" : "V"}${index === from ? `${short(line.x[index]!)} ` : ""}${short(y(of(index)))}H${short(end)}`;
			}
			return drawn;
		};
		const recorded = path((index) => sizes[index]!);
		const folded = path((index) => requests[index]!.zip.size);
		const closed = `${recorded}V${short(base)}H${short(line.x[from]!)}Z`;
		return [
			tag("path", { class: "area", d: closed }),
			tag("path", { class: "line", d: recorded }),
			tag("path", { class: "line with", d: folded }),
		];
	});
}

function ticks({ ticks: all }: Timeline): string[] {
	const y = CONTEXT.top + CONTEXT.height;
	let day = "";
	return all.flatMap(({ x, time }) => {
		const date = new Date(time);
		const today = date.toDateString();
		const isNew = today !== day;
		day = today;
		return [
			tag("line", { class: "tick", x1: x, x2: x, y1: y, y2: y + 4 }),
			tag("text", { class: "time", x, y: y + 16 }, clock(date)),
			isNew ? tag("text", { class: "time", x, y: y + 28 }, monthDay(date)) : "",
		];
	});
}

export function clock(date: Date): string {
	return `${String(date.getHours()).padStart(2, "0")}:${String(date.getMinutes()).padStart(2, "0")}`;
}

const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

export function monthDay(date: Date): string {
	return `${MONTHS[date.getMonth()]} ${date.getDate()}`;
}

/** A mark that takes the keyboard; the first in the order of the page, the others by the arrow keys. */
function marker(event: SessionEvent, index: number, line: Timeline): string {
	const x = (line.x[event.request] ?? 0) + line.bar / 2;
	const y = LANES.top + LANES.each * LANE[event.kind] + LANES.each / 2;
	const name = eventName(event);
	const shape = tag("path", { class: `m-${event.kind}`, d: shapeOf(event.kind, x, y) });
	const hit = tag("rect", { class: "hit", x: x - 8, y: y - 9, width: 16, height: 18 });
	const attributes = {
		class: "mark",
		id: `m${index}`,
		tabindex: index === 0 ? "0" : "-1",
		role: "button",
		"aria-label": [name, ...event.lines.slice(0, 3)].join(": "),
		"data-event": String(index),
		"data-request": String(event.request),
	};
	const told = [name, ...event.lines.slice(0, 12)].map(escaped).join("&#10;");
	return tag("g", attributes, `<title>${told}</title>${hit}${shape}`);
}

export function eventName({ kind, lines }: SessionEvent): string {
	if (kind === "compaction" || kind === "summary") return EVENT_NAMES[kind];
	return `${EVENT_NAMES[kind]} ${count(lines.length, "output")}`;
}

function shapeOf(kind: EventKind, x: number, y: number): string {
	const at = (dx: number, dy: number) => `${short(x + dx)} ${short(y + dy)}`;
	switch (kind) {
		case "fold":
		case "would":
		case "edit":
			return `M${at(-5, -4)}L${at(5, -4)}L${at(0, 5)}Z`;
		case "back":
		case "recall":
			return `M${at(-5, 4)}L${at(5, 4)}L${at(0, -5)}Z`;
		case "compaction":
			return `M${at(0, -6)}L${at(6, 0)}L${at(0, 6)}L${at(-6, 0)}Z`;
		case "summary":
			return `M${at(-4, -4)}H${short(x + 4)}V${short(y + 4)}H${short(x - 4)}Z`;
	}
}
