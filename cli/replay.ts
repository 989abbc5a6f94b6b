/**
 * `pi-zip replay [FILE|FOLDER ...]`: what each session cost, and what it would have cost, as a table or as JSON.
 *
 * One file at a time is in memory. A file that fails is named and the others go on.
 */

import { list, option, readArguments } from "./arguments.ts";
import { readSession } from "./disk.ts";
import { Misuse, reasonOf } from "./failure.ts";
import { replaySession } from "./lab.ts";
import type { Output } from "./output.ts";
import { declaredPrices } from "./prices.ts";
import { printableJson } from "./printable.ts";
import { type Row, Table } from "./replay/table.ts";
import { titleOf } from "./replay/title.ts";
import { Total } from "./replay/total.ts";
import { findSessions, sessionFolders } from "./sessions.ts";

export const REPLAY_HELP = `usage: pi-zip replay [FILE|FOLDER ...] [--since WHEN] [--model TEXT] [--policy NAME]
                     [--prices JSON] [--json]

Replays recorded sessions, newest first, and says what each cost as billed, what it would have cost with pi-zip and with
plain Pi, what that saves, how often folded output was needed later (misses), and the largest context. Without FILE or
FOLDER: all sessions of this user, found as Pi finds them (PI_CODING_AGENT_DIR, PI_CODING_AGENT_SESSION_DIR, sessionDir in
its settings). Nothing is sent anywhere and no session is changed.

  --since WHEN   only sessions used since then: 2026-06-29, or an age such as 12h, 7d or 4w
  --model TEXT   only sessions in which a model's name (provider/model) holds TEXT
  --policy NAME  what to hold against plain Pi, several with commas: pi-zip (default), known-rule (fold all but the last
                 two turns), clairvoyant (knows the future: a bound that no rule can reach), plain, or all
  --prices JSON  what models cost, {"provider/model": COST} with COST as in Pi's models.json; by default what stands there
  --json         one JSON document: sessions, total, failed

Costs are in dollars where the session recorded some, or by the prices that Pi's models.json and models-store.json declare
for the model. Elsewhere they are in tokens of input ("tok"): a token read from or written to the cache counts by the ratios
of its kind of cache. "~" marks what is estimated in one of these ways, or billed by a simulated use of the cache because
the session reported none.
How long a cache lives pi-zip learns, in a replay, from the session alone.

exit status: 0, 1 (some files could not be read, or not wholly), 2 (usage)
`;

/** Names of policies, and the names that they go by in the lab. */
const POLICIES: Readonly<Record<string, string>> = {
	plain: "plain",
	"pi-zip": "pi-zip",
	shipped: "pi-zip",
	"known-rule": "known-rule",
	clairvoyant: "clairvoyant",
};
const ALL = ["plain", "pi-zip", "known-rule", "clairvoyant"];
/** Policies that need no others to be replayed first. */
const QUICK = ["plain", "pi-zip"];

const UNITS_MS = { h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

interface FailedFile {
	path: string;
	reason: string;
}

export async function replay(args: readonly string[], output: Output): Promise<boolean> {
	const { values, positionals } = readArguments(args, {
		json: "flag",
		policy: "list",
		prices: "text",
		since: "text",
		model: "text",
	});
	const policies = readPolicies(list(values.policy));
	const since = readSince(option(values.since), Date.now());
	const model = option(values.model)?.toLowerCase();
	const prices = declaredPrices(option(values.prices));
	const failed: FailedFile[] = [];
	const tell = (path: string, reason: string) => {
		failed.push({ path, reason });
		output.note(`${path}: ${reason}`);
	};

	const folders = positionals.length > 0 ? positionals : sessionFolders();
	const quietly = positionals.length > 0 ? tell : () => {};
	// A session is not written to after its last request: an older file holds nothing newer.
	const files = findSessions(folders, quietly).filter(({ changed }) => since === undefined || changed >= since);
	const table = new Table(output, policies);
	const total = new Total();
	const sessions: Row[] = [];
	for (const [index, { path }] of files.entries()) {
		if (output.isClosed) break;
		output.progress(progressLine(index, files.length, path));
		try {
			const bytes = readSession(path);
			const session = replaySession(
				bytes,
				policies.some((name) => !QUICK.includes(name)),
				prices,
			);
			if (session.skipped > 0)
				tell(path, `${lines(session.skipped)} could not be read (torn or broken); the rest counts`);
			if (since !== undefined && session.last < since) continue;
			if (model !== undefined && !session.models.some((name) => name.toLowerCase().includes(model))) continue;
			const row = { path, title: titleOf(bytes, path), ...session };
			total.add(session);
			if (values.json === true) sessions.push(row);
			else await table.row(row);
		} catch (error) {
			tell(path, reasonOf(error));
		}
	}
	output.progress();
	if (values.json === true) {
		const document = { sessions: sessions.map(forJson), total: total.forJson(), failed };
		await output.write(`${printableJson(document, "\t")}\n`);
	} else {
		if (total.sessions === 0) output.note(nothing(folders, positionals.length === 0, files.length));
		await table.end(total);
	}
	return failed.length > 0;
}

function readPolicies(names: readonly string[]): string[] {
	const wanted = names.flatMap((name) => name.split(",")).map((name) => name.trim());
	if (wanted.includes("all")) return ALL;
	const known = wanted.map((name) => {
		const policy = Object.hasOwn(POLICIES, name) ? POLICIES[name] : undefined;
		if (policy === undefined) throw new Misuse(`there is no policy ${name}; known: ${ALL.join(", ")}, all`);
		return policy;
	});
	return known.length > 0 ? [...new Set(known)] : ["pi-zip"];
}

function readSince(text: string | undefined, now: number): number | undefined {
	if (text === undefined) return undefined;
	const age = /^(\d+(?:\.\d+)?)([hdw])$/.exec(text);
	if (age) return now - Number(age[1]) * UNITS_MS[age[2] as keyof typeof UNITS_MS];
	// A date alone means midnight where the user is; JavaScript alone would take it as UTC.
	const time = new Date(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00` : text).getTime();
	if (Number.isNaN(time) || !/^\d{4}-/.test(text)) {
		throw new Misuse(`--since ${text} is no time: write 2026-06-29, 12h, 7d or 4w`);
	}
	return time;
}

function progressLine(done: number, of: number, path: string): string {
	const width = 24;
	const filled = Math.round((width * done) / of);
	const name = path.split(/[\\/]/).at(-1);
	return `${"█".repeat(filled)}${"░".repeat(width - filled)} ${done}/${of} ${name}`;
}

function nothing(folders: readonly string[], byDefault: boolean, files: number): string {
	if (files > 0) return "no session is left to show";
	if (!byDefault) return "no session file was found";
	return folders.length > 0
		? `no sessions in ${folders.join(", ")}`
		: "Pi keeps no sessions here: there is no folder of them";
}

/** Times as dates; the title is for people. */
function forJson({ title: _, first, last, ...row }: Row) {
	const date = (time: number) => (time > 0 ? new Date(time).toISOString() : null);
	return { ...row, first: date(first), last: date(last) };
}

function lines(count: number): string {
	return count === 1 ? "1 line" : `${count} lines`;
}
