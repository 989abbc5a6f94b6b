/** Session files of the tests' own making, and the command line run on them. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after } from "node:test";
import { ROOT } from "../host/home.ts";

export const CLI = join(ROOT, "pkg-js/cli.cjs");
const START = Date.parse("2026-03-02T09:00:00.000Z");

export type Line = Record<string, unknown>;

/** A folder for one test file, gone when it ends. */
export function scratch(): string {
	const folder = mkdtempSync(join(tmpdir(), "pi-zip-cli-"));
	after(() => rmSync(folder, { recursive: true, force: true }));
	return folder;
}

export function write(path: string, lines: readonly (Line | string)[]): string {
	mkdirSync(dirname(path), { recursive: true });
	const text = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line)));
	writeFileSync(path, `${text.join("\n")}\n`);
	return path;
}

interface Ran {
	status: number | null;
	stdout: string;
	bytes: Buffer;
	stderr: string;
}

/** Runs the published bundle, away from the user's own Pi. */
export function run(args: readonly string[], { cwd, env }: { cwd: string; env?: Record<string, string> }): Ran {
	const agent = join(cwd, "no-agent");
	const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...args], {
		cwd,
		maxBuffer: 64 * 1024 * 1024,
		env: { PATH: process.env.PATH, HOME: cwd, TZ: "UTC", PI_CODING_AGENT_DIR: agent, ...env },
	});
	return { status, stdout: stdout.toString("utf8"), bytes: stdout, stderr: stderr.toString("utf8") };
}

/** What a test plants in a session. */
export interface Planted {
	cwd?: string;
	model?: string;
	command?: string;
	output?: string;
	/** Dollars of each answer; none are recorded where it is 0. */
	cost?: number;
}

/** Two prompts an hour apart, with a bash output that was folded in between. Ids are the names used here. */
export function session(planted: Planted = {}): Line[] {
	const { cwd = "/srv/project", model = "claude-test", command = "npm test", output = "all passed" } = planted;
	const cost = planted.cost ?? 0.05;
	const lines: Line[] = [{ type: "session", version: 3, id: "session-1", timestamp: time(0), cwd }];
	const add = (id: string, minute: number, fields: Line) => {
		const parentId = lines.length === 1 ? null : lines.at(-1)!.id;
		lines.push({ id, parentId, timestamp: time(minute), ...fields });
	};
	const answer = (
		id: string,
		minute: number,
		usage: [input: number, read: number, written: number],
		content: Line[],
	) => {
		const [input, cacheRead, cacheWrite] = usage;
		const counts = { input, output: 200, cacheRead, cacheWrite, totalTokens: input + cacheRead + cacheWrite + 200 };
		const total = { input: 0, output: cost / 2, cacheRead: 0, cacheWrite: cost / 2, total: cost };
		const message = { role: "assistant", api: "anthropic-messages", provider: "anthropic", model, content };
		const sent = START + minute * 60_000 - 5_000;
		add(id, minute, {
			type: "message",
			message: { ...message, usage: { ...counts, cost: total }, stopReason: "stop", timestamp: sent },
		});
	};
	const user = (id: string, minute: number, text: string) =>
		add(id, minute, {
			type: "message",
			message: { role: "user", content: [{ type: "text", text }], timestamp: START + minute * 60_000 },
		});
	user("ask-1", 0, "Run the tests.");
	answer("call-1", 0.2, [10, 0, 3_000], [{ type: "toolCall", id: "tool-1", name: "bash", arguments: { command } }]);
	add("output-1", 0.3, {
		type: "message",
		message: {
			role: "toolResult",
			toolCallId: "tool-1",
			toolName: "bash",
			content: [{ type: "text", text: output }],
			isError: false,
			timestamp: START + 18_000,
		},
	});
	answer("done-1", 0.5, [10, 3_000, 1_000], [{ type: "text", text: "They pass." }]);
	user("ask-2", 60, "And again?");
	answer("done-2", 60.2, [10, 0, 3_500], [{ type: "text", text: "Still." }]);
	add("fold-1", 60.3, {
		type: "context_edit",
		targetId: "output-1",
		replacement: { content: [{ type: "text", text: "[folded by pi-zip: handle 0000000000]" }] },
	});
	user("ask-3", 61, "Good.");
	answer("done-3", 61.2, [10, 3_400, 200], [{ type: "text", text: "Yes." }]);
	return lines;
}

function time(minute: number): string {
	return new Date(START + minute * 60_000).toISOString();
}
