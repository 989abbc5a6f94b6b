/** A result of several blocks comes back as the blocks that it was, page by page; its images as they were. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ExtensionToolContext } from "@earendil-works/pi-coding-agent";
import * as tui from "@earendil-works/pi-tui";
import { recallPage } from "../src-ts/core.ts";
import { blocksOf } from "../src-ts/recall/blocks.ts";
import { recallTool } from "../src-ts/recall.ts";
import "./recall/session.ts";

const HANDLE = "0aaaaaaaa1";
const png = (name: string) => ({
	type: "image",
	data: Buffer.from(name.repeat(900)).toString("base64"),
	mimeType: "image/png",
});
const text = (text: string) => ({ type: "text", text });
type Block = ReturnType<typeof png> | ReturnType<typeof text>;

async function recall(
	content: Block[],
	args: object,
): Promise<{ said: string; blocks: unknown[]; next: object | undefined }> {
	const joined = content.map((block) => ("text" in block ? block.text : "")).join("");
	const blocks = blocksOf(content);
	const find = () => ({
		kind: "found" as const,
		entryId: "e",
		toolName: "read",
		what: "a.png",
		text: joined,
		...(blocks && { blocks }),
	});
	const tool = recallTool({ host: { tui }, find, pager: recallPage });
	const result = await tool.execute(
		"c",
		{ handle: HANDLE, ...args } as never,
		undefined,
		undefined,
		{} as ExtensionToolContext,
	);
	const [said, ...rest] = result.content as Block[];
	const last = rest.at(-1);
	const next = last && "text" in last ? /Next: zip_recall (\{.*\})\]$/s.exec(last.text)?.[1] : undefined;
	if (next !== undefined) rest.pop();
	return {
		said: said && "text" in said ? said.text : "",
		blocks: rest,
		next: next === undefined ? undefined : JSON.parse(next),
	};
}

async function pages(content: Block[], limit: number): Promise<unknown[]> {
	const all: unknown[] = [];
	for (let args: object | undefined = { limit }; args; ) {
		const page = await recall(content, args);
		all.push(...page.blocks);
		args = page.next;
	}
	return all;
}

const CASES: Block[][] = [
	[text("one\n"), text("two\n"), text("three")],
	[text("before "), png("a"), text("behind")],
	[png("a"), png("b")],
	[png("a"), text("behind")],
	[text("before"), png("a")],
	[text("a\ud83d"), text("\ude00b\r\n"), png("c"), text("d")],
];

test("a page that holds all has the very blocks", async () => {
	for (const content of CASES) assert.deepEqual((await recall(content, {})).blocks, content);
	assert.deepEqual((await recall([text(""), text("a")], {})).blocks, [text("a")]);
});

test("pages joined have each text and each image once, in order", async () => {
	for (const content of CASES) {
		for (const limit of [1, 2, 3, 5]) {
			const flat = (blocks: unknown[]) =>
				blocks
					.map((block) =>
						(block as Block).type === "text"
							? (block as { text: string }).text
							: `<${(block as { data: string }).data}>`,
					)
					.join("");
			assert.equal(flat(await pages(content, limit)), flat(content), `${limit}`);
		}
	}
});

test("what images there are is said, and a selection of lines has none", async () => {
	assert.match((await recall([text("a\nb\n"), png("x")], {})).said, /With image\/png, 1 KB\. Lines 1-2 of 2 lines/);
	assert.match((await recall([png("x")], {})).said, /With image\/png, 1 KB\. It has no text/);
	assert.deepEqual((await recall([text("a\nb\n"), png("x")], { range: "2" })).blocks, [text("b\n")]);
	assert.deepEqual((await recall([text("a\nb\n"), text("ab\n")], { grep: "b" })).blocks, [text("b\n"), text("ab\n")]);
});
