/**
 * The page of a report, put together: figures, chart, bill, what it would have cost, and the tables that the chart draws.
 *
 * Self-contained. Its policy lets nothing load or run but the one style sheet and the one script, by their digests.
 */

import { createHash } from "node:crypto";
import { count, span, tokens } from "../../src-ts/format.ts";
import { money, percent, saving } from "../../src-ts/money.ts";
import type { WireOutcome, WireRequest, WireSession } from "../lab.ts";
import { minute } from "../replay/title.ts";
import { chart, clock, EVENT_NAMES, eventName, monthDay, sizeOf } from "./chart.ts";
import { escaped, tag } from "./escape.ts";
import type { EventKind, SessionEvent } from "./events.ts";
import { PARTS } from "./parts.ts";
import { SCRIPT } from "./script.ts";
import { STYLE } from "./style.ts";

/** Less than this is what rounding leaves. */
const LEAST_TOKENS = 0.5;
const UNEXPLAINED = PARTS.findIndex(({ key }) => key === "unexplained");

export interface ReportData {
	/** Text of the session. */
	title: string;
	session: WireSession;
	requests: readonly WireRequest[];
	events: readonly SessionEvent[];
}

export function page(data: ReportData): string {
	const { title, session } = data;
	const policy = `default-src 'none'; style-src '${digest(STYLE)}'; script-src '${digest(SCRIPT)}'; base-uri 'none'; form-action 'none'`;
	const body = [
		heading(data),
		figures(data),
		data.requests.length === 0
			? section("No request", note("The session holds no answer of a model."))
			: chartSection(data),
		...(data.requests.length === 0 ? [] : [bill(data), whatIf(session), events(data), table(data)]),
		footer(data),
	];
	return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escaped(title)} · pi-zip</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${body.join("\n")}
</main>
<div id="tip" role="status" hidden></div>
<script>${SCRIPT}</script>
</body>
</html>
`;
}

function digest(text: string): string {
	return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}

function heading({ title, session, requests }: ReportData): string {
	const ends =
		requests.length === 0 ? "" : `${minute(new Date(session.first))} to ${minute(new Date(session.last))} · `;
	return `<header><h1>${escaped(title)}</h1><p>${ends}${session.models.map(escaped).join(", ")}</p></header>`;
}

function figures({ session, requests }: ReportData): string {
	const { dollars, policies } = session;
	const find = (name: string) => policies.find(({ policy }) => policy === name);
	const [plain, zip] = [find("plain"), find("pi-zip")];
	const cell = (name: string, value: string, about: string, good = false) =>
		`<div><dt>${name}</dt><dd${good ? ' class="good"' : ""}>${value}<small>${about}</small></dd></div>`;
	const known = requests.some(({ estimated }) => !estimated);
	const source = !session.estimated ? "as recorded" : known ? "in part estimated" : "estimated";
	const cells = [cell("Billed", money(session.billed, dollars), source)];
	if (plain && zip) {
		const share = saving(plain.cost, zip.cost);
		cells.push(
			cell("With plain Pi", money(plain.cost, dollars), "replayed"),
			cell("With pi-zip", money(zip.cost, dollars), `replayed, ${count(zip.misses, "miss", "misses")}`),
			cell("Saving", percent(share), money(plain.cost - zip.cost, dollars), share > 0),
		);
	}
	const active = requests.reduce((sum, { sent, done }) => sum + Math.max(0, done - sent), 0);
	cells.push(
		cell("Requests", String(session.requests), `${span(active)} of answering`),
		cell("Cold returns", String(session.returns), "after the cache expired"),
		cell("Largest context", tokens(Math.max(0, ...requests.map(sizeOf))), "tokens"),
	);
	return `<dl class="figures">${cells.join("")}</dl>`;
}

function chartSection({ requests, events, session }: ReportData): string {
	const key = (shape: string) => `<svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">${shape}</svg>`;
	const used = PARTS.filter((_, part) => requests.some((request) => (request.tokens[part] ?? 0) >= LEAST_TOKENS));
	const parts = used.map(
		({ key: name, name: told }) => `<li>${key(`<rect class="p-${name}" width="12" height="12" rx="2"/>`)}${told}</li>`,
	);
	const marks: Partial<Record<EventKind, string>> = {
		fold: "M1 2H11L6 11Z",
		would: "M1 2H11L6 11Z",
		edit: "M1 2H11L6 11Z",
		back: "M1 10H11L6 1Z",
		recall: "M1 10H11L6 1Z",
		compaction: "M6 0L12 6L6 12L0 6Z",
		summary: "M2 2H10V10H2Z",
	};
	const kinds = (Object.keys(marks) as EventKind[]).filter((kind) => events.some((event) => event.kind === kind));
	const lanes = kinds.map(
		(kind) => `<li>${key(`<path class="m-${kind}" d="${marks[kind]}"/>`)}${EVENT_NAMES[kind]}</li>`,
	);
	const lines = [
		`<li>${key('<path class="line" d="M0 6H12"/>')}Context as recorded</li>`,
		`<li>${key('<path class="line with" d="M0 6H12"/>')}With pi-zip, replayed</li>`,
		`<li>${key('<rect class="gap" width="12" height="12"/>')}Idle time, compressed</li>`,
	];
	const drawn = chart({ requests, events, inDollars: session.dollars });
	return section(
		"Request by request",
		`${note("Bars stand along real time. Point at a bar or a mark, or use the arrow keys.")}${drawn}<ul class="legend">${[...parts, ...lanes, ...lines].join("")}</ul>`,
	);
}

function bill({ requests, session }: ReportData): string {
	const sums = PARTS.map((_, part) => ({
		tokens: requests.reduce((sum, request) => sum + (request.tokens[part] ?? 0), 0),
		money: requests.reduce((sum, request) => sum + (request.money[part] ?? 0), 0),
	}));
	const aside = session.bill.find(({ part }) => part === "aside");
	const total = [...sums, ...(aside ? [aside] : [])].reduce((sum, part) => ({
		tokens: sum.tokens + part.tokens,
		money: sum.money + part.money,
	}));
	const row = (key: string, name: string, why: string, own: { tokens: number; money: number }) => {
		const share = total.money > 0 ? own.money / total.money : 0;
		const swatch = `<svg class="key" width="12" height="12" viewBox="0 0 12 12" aria-hidden="true"><rect class="p-${key}" width="12" height="12" rx="2"/></svg>`;
		return `<tr><td>${swatch}${name}<small>${why}</small>${narrowBar(share, `p-${key}`)}</td><td>${tokens(own.tokens)}</td><td>${money(own.money, session.dollars)}</td><td>${percent(share)}</td><td class="share">${shareBar(share, `p-${key}`)}</td></tr>`;
	};
	const rows = PARTS.map(({ key, name, why }, part) => row(key, name, why, sums[part]!));
	if (aside && aside.tokens > 0)
		rows.push(row("aside", "Other calls", "summaries, and tools that asked a model", aside));
	const last = `<tr><td><b>All</b></td><td>${tokens(total.tokens)}</td><td><b>${money(total.money, session.dollars)}</b></td><td></td><td></td></tr>`;
	return section(
		"The bill by its causes",
		`<div class="wide"><table class="bill"><thead><tr><th scope="col">Tokens that were</th><th scope="col">Tokens</th><th scope="col">Cost</th><th scope="col">Share</th><th></th></tr></thead><tbody>${rows.join("")}${last}</tbody></table></div>`,
	);
}

const POLICIES: Readonly<Record<string, [name: string, about: string]>> = {
	plain: ["Plain Pi", "nothing is folded"],
	"known-rule": ["Known rule", "folds all but the last two turns, mostly at cold returns"],
	"pi-zip": ["pi-zip", "what the extension does"],
	clairvoyant: ["Clairvoyant", "knows the future: a bound that no rule can reach"],
};

function whatIf(session: WireSession): string {
	const order = Object.keys(POLICIES);
	const shown = [...session.policies].sort((one, other) => order.indexOf(one.policy) - order.indexOf(other.policy));
	const most = Math.max(session.billed, ...shown.map(({ cost }) => cost)) || 1;
	const row = (name: string, about: string, cost: number, bar: string, rest: readonly string[]) =>
		`<tr><td>${name}<small>${about}</small>${narrowBar(cost / most, bar)}</td><td>${money(cost, session.dollars)}</td>${rest.map((cell) => `<td>${cell}</td>`).join("")}<td class="share">${shareBar(cost / most, bar)}</td></tr>`;
	const plain = shown.find(({ policy }) => policy === "plain")?.cost ?? 0;
	const saved = (outcome: WireOutcome) => (outcome.policy === "plain" ? "" : percent(saving(plain, outcome.cost)));
	const rows = [
		row(
			"Billed",
			session.simulated ? "with a simulated use of the cache" : "as the provider reported it",
			session.billed,
			"p-unexplained",
			["", "", ""],
		),
		...shown.map((outcome) => {
			const [name, about] = POLICIES[outcome.policy] ?? [escaped(outcome.policy), ""];
			const bar = outcome.policy === "pi-zip" ? "p-ours" : "p-read";
			return row(name, about, outcome.cost, bar, [saved(outcome), String(outcome.folds), String(outcome.misses)]);
		}),
	];
	return section(
		"What it would have cost",
		`${note("The same requests, answers and pauses, replayed with one simulated cache for all. A miss is a folded output that was needed again; what fetching it costs is in the sum.")}<div class="wide"><table class="what"><thead><tr><th scope="col">With</th><th scope="col">Cost</th><th scope="col">Saved</th><th scope="col">Folds</th><th scope="col">Misses</th><th></th></tr></thead><tbody>${rows.join("")}</tbody></table></div>`,
	);
}

/** The bar of a row in a column of its own; on a narrow screen it stands below the name instead. */
function shareBar(share: number, name: string): string {
	return barOf(share, name, undefined);
}

function narrowBar(share: number, name: string): string {
	return barOf(share, name, "narrow");
}

function barOf(share: number, name: string, about: string | undefined): string {
	const filled = tag("rect", { class: name, width: Math.max(0, Math.min(100, 100 * share)), height: 10, rx: 1 });
	return tag(
		"svg",
		{ class: about, viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
		filled,
	);
}

function events({ events: all, requests }: ReportData): string {
	if (all.length === 0) return "";
	const items = all.map((event, index) => {
		const request = requests[event.request]!;
		const lines = event.lines.map((line) => `<li>${escaped(line)}</li>`).join("");
		const when = `request ${event.request + 1}, ${monthDay(new Date(request.sent))} ${clock(new Date(request.sent))}`;
		return `<li id="e${index}"><b>${eventName(event)}</b> <span class="note">${when}</span>${lines === "" ? "" : `<ul>${lines}</ul>`}</li>`;
	});
	return `<details><summary>Folds, recalls and compactions (${all.length})</summary><div class="tall"><ul class="events">${items.join("")}</ul></div></details>`;
}

function table({ requests, session }: ReportData): string {
	const names = [
		"",
		"Sent",
		"Model",
		"Idle before",
		"Context",
		"Cost",
		...PARTS.map(({ name }) => name),
		"Plain Pi",
		"pi-zip",
	];
	const heads = names.map((name) => `<th scope="col">${name}</th>`).join("");
	const amount = (value: number) => (value === 0 ? "0" : money(value, session.dollars));
	const rows = requests.map((request, index) => {
		const sent = new Date(request.sent);
		const marks = [
			request.refresh ? "refresh of the cache" : "",
			request.cold ? "cold" : "",
			request.estimated ? "estimated" : "",
		];
		const cells = [
			String(index + 1),
			[`${monthDay(sent)} ${clock(sent)}`, ...marks].filter(Boolean).join(", "),
			escaped(request.model),
			index === 0 || request.idle < 500 ? "" : span(request.idle),
			tokens(sizeOf(request)),
			amount(request.money.reduce((sum, part) => sum + part, 0)),
			...request.tokens.map((part, at) => (part === 0 ? "0" : `${tokens(part)} · ${amount(request.money[at] ?? 0)}`)),
			amount(request.plain.cost),
			amount(request.zip.cost),
		];
		return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
	});
	return `<details><summary>All requests (${requests.length})</summary><div class="tall"><table class="requests" id="requests"><thead><tr>${heads}</tr></thead><tbody>${rows.join("")}</tbody></table></div></details>`;
}

function footer({ session, requests }: ReportData): string {
	const offset = -new Date(session.last).getTimezoneOffset();
	const zone = `UTC${offset < 0 ? "−" : "+"}${String(Math.floor(Math.abs(offset) / 60)).padStart(2, "0")}:${String(Math.abs(offset) % 60).padStart(2, "0")}`;
	const notes = [
		session.dollars
			? ""
			: "The session recorded no dollars, and no price of its models is known: amounts are in tokens of input (tok), cache reads and writes by the ratios of their kind of cache.",
		session.estimated && session.dollars ? "Some requests recorded no cost: theirs is estimated." : "",
		session.simulated ? "Some requests reported no use of the cache: theirs is simulated." : "",
		requests.some((request) => (request.tokens[UNEXPLAINED] ?? 0) >= LEAST_TOKENS)
			? "Unexplained is what no known cause accounts for; it is shown rather than shared out."
			: "",
		session.skipped > 0 ? `${count(session.skipped, "line")} of the file could not be read.` : "",
		`Times are in ${zone}. Written by pi-zip from the session file alone; nothing was sent anywhere.`,
	];
	return `<footer>${notes
		.filter(Boolean)
		.map((text) => `<p>${text}</p>`)
		.join("")}</footer>`;
}

function section(title: string, content: string): string {
	return `<section><h2>${title}</h2>${content}</section>`;
}

function note(text: string): string {
	return `<p class="note">${text}</p>`;
}
