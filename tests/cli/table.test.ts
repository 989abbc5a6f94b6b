/** The table of `replay` on terminals of several widths: no line is wider than its terminal. */
import assert from "node:assert/strict";
import test from "node:test";
import type { WireOutcome } from "../../cli/lab.ts";
import type { Output } from "../../cli/output.ts";
import { type Row, Table } from "../../cli/replay/table.ts";
import { Total } from "../../cli/replay/total.ts";

const POLICIES = ["plain", "pi-zip", "known-rule", "clairvoyant"];

/** A session whose numbers are as wide as they get. */
function row(dollars: boolean, policies: readonly string[]): Row {
	const most = dollars ? 9_876.54 : 99_900_000;
	const outcome = (policy: string): WireOutcome => {
		const cost = policy === "plain" ? most / 2.1 : most;
		return { policy, cost, folds: 1_000, misses: 12_345, recalled: 0, peak: 9_900_000 };
	};
	return {
		path: "/srv/a.jsonl",
		title: "2026-03-02 09:00 a-project-with-a-name-that-is-far-too-long",
		requests: 12_345,
		returns: 1_234,
		skipped: 0,
		models: [],
		first: 0,
		last: 0,
		dollars,
		estimated: true,
		simulated: false,
		billed: most,
		bill: [],
		recorded: most,
		policies: policies.map(outcome),
	};
}

async function table(columns: number, policies: readonly string[]): Promise<string[]> {
	let text = "";
	const same = (line: string) => line;
	const write = async (more: string) => {
		text += more;
	};
	const output = { columns, write, bold: same, faint: same, green: same } as unknown as Output;
	const drawn = new Table(output, policies);
	const total = new Total();
	for (const dollars of [true, false]) {
		const session = row(dollars, POLICIES);
		await drawn.row(session);
		total.add(session);
	}
	await drawn.end(total);
	return text.trimEnd().split("\n");
}

for (const policies of [["pi-zip"], ["clairvoyant"], POLICIES]) {
	test(`${policies.join(", ")}: lines fit and hold every number`, async () => {
		for (const columns of [60, 72, 80, 100, 130, 200]) {
			const lines = await table(columns, policies);
			for (const line of lines) assert.ok(line.length <= columns, `${columns}: ${line} (${line.length})`);
			const cells = new Set(lines.flatMap((line) => line.trim().split(/\s+/)));
			for (const cell of ["12345", "1234", "~$9876.54", "~99.9M", "-52.3M", "-110.0", "9.9M"]) {
				assert.ok(cells.has(cell), `${columns}: ${cell}\n${lines.join("\n")}`);
			}
		}
	});
}

test("one policy takes one line at 80 columns", async () => {
	const [head] = await table(80, ["pi-zip"]);
	assert.match(head!, /^requests .* peak$/);
});
