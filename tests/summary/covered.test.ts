/** What a summary covers: listed, paged as it was, searched in, and counted, also on a branch that was left. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { idOf } from "../../src-ts/summary/tree.ts";
import { handleOf, Story } from "../search/session.ts";

const ODD = "half \ud800\r\n\u2028 needle\0\n";

const output = (turn: number) => `export function part${turn}() {}\n${`${ODD}output ${turn}\n`.repeat(2_000)}`;

/** Two summaries, of a turn each, and a third turn behind them. */
function summarised(): Story & { ids: string[]; texts: string[] } {
	const story = new Story();
	const ids: string[] = [];
	const texts: string[] = [];
	let fresh = "";
	for (let turn = 0; turn < 3; turn += 1) {
		const first = story.user(`Turn ${turn}: ${ODD}`);
		fresh ||= first;
		const { result } = story.call("read", { path: `src/part${turn}.ts` }, output(turn));
		story.call("zip_recall", { handle: handleOf(result) }, "never told twice");
		const last = story.says(`Turn ${turn} is done.`);
		texts.push(`Turn ${turn}: ${ODD}`, output(turn), `Turn ${turn} is done.`);
		if (turn === 2) break;
		const summary = `Part ${turn}: all is well.`;
		const root = story.manager.getBranch()[0]!.id;
		const details = { by: "pi-zip", first: root, last, narrative: [0, summary.length], levels: { fresh } };
		ids.push(idOf(fresh, last, handleOf));
		story.manager.appendCompaction(summary, first, 1_000, details);
		fresh = story.manager.getLeafId() ?? "";
	}
	return Object.assign(story, { ids, texts });
}

/** All pages of a recall, joined, without the blocks beside them. */
async function pagesOf(story: Story, handle: string): Promise<string> {
	let next: Record<string, unknown> | undefined = { handle };
	let text = "";
	while (next) {
		const blocks: string[] = await story.recall(next);
		const call: string | undefined = /Next: zip_recall (\{.*\})\]$/.exec(blocks.at(-1) ?? "")?.[1];
		text += blocks.slice(1, call === undefined ? undefined : -1).join("");
		next = call === undefined ? undefined : JSON.parse(call);
	}
	return text;
}

test("a recall of a summary gives its text, a line for each entry with its size, and the originals in order", async () => {
	const story = summarised();
	const [, second = ""] = story.ids;
	const all = await pagesOf(story, second);
	const [head = ""] = all.split("\n");
	assert.match(
		head,
		/^Summary \w{10} of depth 1 covers 4 entries with \d+ characters; the originals follow .* line \d+ on\.$/,
	);
	assert.match(all, /\nPart 1: all is well\.\n\w{10}: user message, \d+ characters\n/);
	assert.match(all, /\n\w{10}: read src\/part1\.ts, \d+ characters\n/);
	let at = all.split("\n", Number(/line (\d+)/.exec(head)?.[1]) - 1).join("\n").length;
	for (const text of story.texts.slice(3, 6)) {
		const found = all.indexOf(`]\n${text}`, at);
		assert.ok(found >= at, JSON.stringify(text.slice(0, 40)));
		at = found + text.length;
	}
	assert.ok(!all.includes("never told twice") && !all.includes("output 0") && !all.includes("output 2"));
});

test("a search in a summary finds what it covers and nothing else; alone it says what that is", async () => {
	const story = summarised();
	const [first = "", second = ""] = story.ids;
	for (const [id, turn] of [
		[first, 0],
		[`summary ${second}`, 1],
	] as const) {
		const { text, total } = await story.search({ query: "needle", in: id });
		assert.equal(total, 2, text);
		assert.ok(text.includes(`output ${turn}`) || text.includes(`Turn ${turn}`));
		const { text: covers } = await story.search({ in: id });
		assert.match(
			covers,
			/covers 4 entries from \w+ to \w+: 1 message of the user, 2 answers, 1 output; \d+ characters/,
		);
		assert.match(covers, new RegExp(`\\n- \\w{10}, read 1: src/part${turn}\\.ts · .*part${turn}`));
	}
	assert.match((await story.search({ query: '"Turn 0"' })).text, new RegExp(` · out of view · summary ${first} · `));
	assert.doesNotMatch((await story.search({ query: '"Turn 2"' })).text, /summary \w{10}/);
});

test("an id that no summary has is refused, with those that there are", async () => {
	const story = summarised();
	const { text, isError } = await story.search({ query: "needle", in: "0000000000" });
	assert.ok(isError);
	assert.match(text, /no summary has the id 0000000000; there are /);
	assert.ok(story.ids.every((id) => text.includes(id)));
	assert.match((await story.search({ in: "nonsense" })).text, /no summary has the id nonsense/);
	assert.match((await story.search({ query: "a", in: story.ids[0], where: "all" })).text, /leave out where "all"/);
	assert.match((await new Story().search({ in: "0000000000" })).text, /this branch has none/);
	assert.match((await story.recall({ handle: "0000000000" })).join(""), /No output has the handle 0000000000/);
});

test("the summary of a branch that was left leads to it", async () => {
	const story = new Story();
	const root = story.user("go");
	const first = story.user("another way");
	story.call("bash", { command: "make" }, "left needle\n");
	const last = story.says("It failed.");
	const summary = "It failed.";
	const details = { by: "pi-zip", first, last, narrative: [0, summary.length], levels: { fresh: first } };
	story.manager.branchWithSummary(root, summary, details, true);
	story.user("on with it, needle");
	const id = idOf(first, last, handleOf);
	assert.match(await pagesOf(story, id), /\]\nleft needle\n/);
	const { text, total } = await story.search({ query: "needle", in: id });
	assert.equal(total, 1);
	assert.match(text, / · left branch · /);
});
