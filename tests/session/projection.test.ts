/**
 * Compares what the core takes for the model's view of a session with Pi's own projection: on recorded and hostile
 * sessions, and on generated trees. The core is run natively, on the same files.
 */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import {
	buildSessionProjection,
	convertToLlm,
	type FileEntry,
	migrateSessionEntries,
	parseSessionEntries,
	type SessionEntry,
} from "@earendil-works/pi-coding-agent";
import { sessionLines } from "./generated.ts";

const ROOT = join(import.meta.dirname, "../..");
const SESSIONS = 300;
const SEED = Number(process.env.PI_ZIP_TEST_SEED ?? 1);

/** Estimated tokens of an image, as the core prices it. */
const IMAGE_TOKENS = 1200;

interface Projected {
	/** For each message the number of its entry on the branch. */
	readonly messages: number[];
	readonly estimated: number;
}

const folder = mkdtempSync(join(tmpdir(), "pi-zip-projection-"));
after(() => rmSync(folder, { recursive: true }));

test(`generated trees, seeds from ${SEED}`, () => {
	const seeds = Array.from({ length: SESSIONS }, (_, index) => SEED + index);
	const sessions = seeds.map((seed) => ({ name: `seed ${seed}`, entries: throughJson(sessionLines(seed)) }));
	compare(sessions);
});

for (const kind of ["corpus", "fixtures"]) {
	test(`sessions of ${kind}`, (context) => {
		const files = shared(kind);
		if (!files) return context.skip(`no folder shared/${kind} beside the clone`);
		compare(files.flatMap(recorded));
	});
}

/** A recorded session, whole and as it was earlier. */
function recorded(file: string) {
	const entries = parseSessionEntries(readFileSync(file, "utf8"));
	migrateSessionEntries(entries);
	const lengths = [0.3, 0.7, 1].map((share) => Math.ceil(entries.length * share));
	return lengths.map((length) => ({ name: `${file}, ${length} lines`, entries: entries.slice(0, length) }));
}

function compare(sessions: { name: string; entries: FileEntry[] }[]): void {
	const files = sessions.map(({ entries }, index) => {
		const file = join(folder, `${index}.jsonl`);
		writeFileSync(file, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
		return file;
	});
	const core = byCore(files);
	assert.equal(core.length, sessions.length);
	for (const [index, { name, entries }] of sessions.entries()) {
		const pi = byPi(entries.filter((entry) => entry.type !== "session"));
		assert.deepEqual(core[index]?.messages, pi.messages, `${name}: other messages than Pi's`);
		assert.equal(core[index]?.estimated, pi.estimated, `${name}: other estimate than of Pi's messages`);
	}
}

function byCore(files: string[]): Projected[] {
	const command = ["run", "--quiet", "-p", "pi-zip-core", "--example", "projected", "--", ...files];
	// The test runner moves HOME, by which rustup finds its toolchain.
	const env = { ...process.env, HOME: userInfo().homedir };
	const output = execFileSync("cargo", command, { cwd: ROOT, env, encoding: "utf8", maxBuffer: 2 ** 28 });
	return output
		.trim()
		.split("\n")
		.map((line) => JSON.parse(line));
}

function byPi(entries: SessionEntry[]): Projected {
	const projection = buildSessionProjection(entries);
	const byId = new Map(entries.map((entry) => [entry.id, entry]));
	const path: SessionEntry[] = [];
	for (let entry = entries.at(-1); entry; entry = byId.get(entry.parentId ?? "")) path.unshift(entry);
	const messages = projection.entries.flatMap((entry) => entry.messages.map(() => path.indexOf(entry.sourceEntry)));
	return { messages, estimated: projection.messages.reduce((sum, message) => sum + estimate(message), 0) };
}

type Message = Parameters<typeof convertToLlm>[0][number];

/** Characters over four, a message, of what Pi sends of it. */
function estimate(message: Message): number {
	const [sent] = convertToLlm([message]);
	if (!sent) return 0;
	// The core counts a command's text without what Pi writes around it.
	if (message.role === "bashExecution") return tokens(message.command.length + message.output.length);
	const { role, content, stopReason, sections, toolsAdded } = sent as unknown as Record<string, unknown>;
	if (stopReason === "error" || stopReason === "aborted") return 0;
	let units = typeof content === "string" ? content.length : 0;
	let images = 0;
	for (const block of Array.isArray(content) ? content : []) {
		if (block.type === "image") images += 1;
		else if (block.type === "toolCall") units += block.name.length + JSON.stringify(block.arguments).length;
		else if (block.type === "thinking") units += block.thinking.length;
		else if (block.type === "text" || role !== "assistant") units += block.text?.length ?? 0;
	}
	for (const section of Object.values(sections ?? {})) units += section?.length ?? 0;
	if (toolsAdded) units += JSON.stringify(toolsAdded).length;
	return tokens(units) + images * IMAGE_TOKENS;
}

function tokens(units: number): number {
	return Math.ceil(units / 4);
}

function throughJson(lines: object[]): FileEntry[] {
	return lines.map((line) => JSON.parse(JSON.stringify(line)));
}

/** Session files of a folder beside the clone, or beside a folder above it. */
function shared(kind: string): string[] | undefined {
	for (let parent = dirname(ROOT); ; parent = dirname(parent)) {
		const candidate = join(parent, "shared", kind);
		if (existsSync(candidate)) {
			return readdirSync(candidate)
				.filter((file) => file.endsWith(".jsonl"))
				.map((file) => join(candidate, file));
		}
		if (parent === dirname(parent)) return undefined;
	}
}
