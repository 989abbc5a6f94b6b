/**
 * `node tests/e2e/ratios.ts [WORD...]`: plays the scenarios whose names hold one of the words, and prints what each costs as a
 * part of plain Pi's cost, with the fourth cache mark and without it. `PI_ZIP_SUMMARIES_WHEN` is handed on.
 */

import { fileURLToPath } from "node:url";
import { PI_ZIP } from "../host/home.ts";
import { type Outcome, play } from "./play.ts";
import { INTERRUPTED, PASSING, SCENARIOS, UNKIND } from "./scenarios.ts";

const NO_MARK = fileURLToPath(new URL("extensions/no-mark.ts", import.meta.url));
const when = process.env.PI_ZIP_SUMMARIES_WHEN;
const env: { [name: string]: string } = when ? { PI_ZIP_SUMMARIES_WHEN: when } : {};
const words = process.argv.slice(2);
const chosen = [...SCENARIOS, ...PASSING, ...INTERRUPTED, ...UNKIND].filter(({ name }) =>
	new RegExp(words.join("|")).test(name),
);

for (const { name, bound, ...scenario } of chosen) {
	const launches = [[], [PI_ZIP], [PI_ZIP, NO_MARK]].map((extensions) => play(scenario, { extensions, env }));
	const [plain, zip, unmarked] = (await Promise.all(launches)) as [Outcome, Outcome, Outcome];
	const ratio = (one: Outcome) => (one.bill.money / plain.bill.money).toFixed(3);
	const refused = [plain, zip, unmarked].map(({ requests }) => requests.filter(({ status }) => status === 400).length);
	const last = (one: Outcome) => Math.round((one.requests.at(-1)?.size ?? 0) / 1000);
	console.log(
		`${ratio(zip)} (bound ${bound.toFixed(2)}, without the mark ${ratio(unmarked)})  ${name}` +
			`  [plain $${plain.bill.money.toFixed(3)}, ${plain.requests.length} requests, ends at ${last(plain)}K and ${last(zip)}K,` +
			` ${zip.folded} folded, refused ${refused.join("/")}]`,
	);
}
