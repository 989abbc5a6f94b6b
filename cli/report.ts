/**
 * `pi-zip report FILE`: one session as one page.
 */

import { basename } from "node:path";
import { option, readArguments } from "./arguments.ts";
import { isSameFile, readSession, writePrivate } from "./disk.ts";
import { about, Misuse } from "./failure.ts";
import { History } from "./history.ts";
import { reportSession } from "./lab.ts";
import type { Output } from "./output.ts";
import { declaredPrices } from "./prices.ts";
import { printable } from "./printable.ts";
import { titleOf } from "./replay/title.ts";
import { eventsOf } from "./report/events.ts";
import { page } from "./report/page.ts";

export const REPORT_HELP = `usage: pi-zip report FILE [-o PAGE.html] [--prices JSON]

Writes one session as one page that needs no network: what each request cost and why, along real time; the size of the
context; folds, recalls, compactions; and what the session would have cost. The page holds paths and commands of the session,
so that only you may read it (mode 0600).

  FILE                    the session file
  -o, --output PAGE.html  where to write; by default beside you, named like the session; - is standard output
  --prices JSON           as for pi-zip replay
  --say-where             the page's path to standard output

exit status: 0, 1 (the file could not be read, or not wholly; the page could not be written), 2 (usage)
`;

export async function report(args: readonly string[], output: Output): Promise<boolean> {
	const { values, positionals } = readArguments(args, { output: "text", prices: "text", "say-where": "flag" });
	const [file, ...more] = positionals;
	if (file === undefined || more.length > 0) throw new Misuse("report takes one FILE");
	const to = option(values.output) ?? `${basename(file, ".jsonl")}.html`;
	if (isSameFile(file, to)) throw new Misuse("the page would replace the session file");
	const prices = declaredPrices(option(values.prices));
	output.progress(`reading ${file}`);
	const { html, skipped } = await drawn(file, prices);
	output.progress();
	if (skipped > 0)
		output.note(`${file}: ${skipped === 1 ? "1 line" : `${skipped} lines`} could not be read (torn or broken)`);
	if (to === "-") await output.write(html);
	else {
		about(to, () => writePrivate(to, html));
		if (values["say-where"] === true) await output.write(`${printable(to)}\n`);
		else output.note(`wrote ${to}`);
	}
	return skipped > 0;
}

async function drawn(file: string, prices: string): Promise<{ html: string; skipped: number }> {
	const { bytes, history, session, requests } = about(file, () => {
		const bytes = readSession(file);
		return { bytes, history: new History(bytes), ...reportSession(bytes, prices) };
	});
	const events = await eventsOf(history, requests);
	const html = page({ title: titleOf(bytes, file), session, requests, events });
	return { html, skipped: history.skipped };
}
