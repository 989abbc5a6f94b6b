/**
 * A `zip_recall` over originals given as text, with the real module behind it, and its answers taken apart.
 */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { ExtensionToolContext, Theme } from "@earendil-works/pi-coding-agent";
import * as tui from "@earendil-works/pi-tui";
import { initSync, recallPage } from "../../build/core/core.js";
import { type Original, type RecallDetails, recallTool } from "../../src-ts/recall.ts";

initSync({ module: readFileSync(new URL("../../build/core/core_bg.wasm", import.meta.url)) });

export type Arguments = Record<string, unknown>;
export interface Result {
	content: { type: string; text?: string }[];
	details: RecallDetails;
	isError?: boolean;
}

/** A tool over `texts`; where a handle has no text it is unknown, with all handles as the nearest. */
export function toolOver(texts: Readonly<Record<string, string | null>>) {
	const find = (handle: string): Original => {
		const text = texts[handle];
		if (text === null) return { kind: "lost" };
		if (text === undefined) return { kind: "unknown", nearest: Object.keys(texts) };
		return { kind: "found", entryId: `entry-${handle}`, toolName: "bash", what: "npm test", text };
	};
	return recallTool({ host: { tui }, find, pager: recallPage });
}

export async function recall(texts: Readonly<Record<string, string | null>>, args: Arguments): Promise<Result> {
	const result = await toolOver(texts).execute("call", args, undefined, undefined, {} as ExtensionToolContext);
	for (const block of result.content) assert.ok(block.type === "text" && block.text !== "", "no block is empty");
	return result;
}

/** The parts of originals: each stands behind the block that describes it, in as many blocks as the original had. */
export function originalsIn({ content, details }: Result): string[] {
	const parts: string[] = [];
	let at = 0;
	for (const page of details.recalled) {
		while (!content[at]?.text?.startsWith(`[zip_recall ${page.handle}:`)) at += 1;
		let part = "";
		while (part.length < page.to - page.from && at + 1 < content.length) {
			at += 1;
			part += content[at]?.text ?? "";
		}
		parts.push(part);
	}
	return parts;
}

/** The call that the answer spells out, as a model would make it. */
export function nextCall({ content }: Result): Arguments | undefined {
	const call = /Next: zip_recall (\{.*\})\]$/s.exec(content.at(-1)?.text ?? "");
	return call ? JSON.parse(call[1]!) : undefined;
}

/** All pages from `args` on, made by the calls that the answers spell out. */
export async function recallAll(texts: Readonly<Record<string, string>>, args: Arguments): Promise<string[]> {
	const pages: string[] = [];
	for (let call: Arguments | undefined = args; call; ) {
		const result = await recall(texts, call);
		pages.push(...originalsIn(result));
		call = nextCall(result);
	}
	return pages;
}

/** A theme without colours. */
export const plainTheme = { fg: (_color: string, text: string) => text, bold: (text: string) => text } as Theme;
