/**
 * The packed tarball, installed as a user installs it, in both forms of Pi: on Node, and as an executable with Bun
 * inside. Each loads it, folds one cold return and fetches a folded output back.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { type Home, NODE, PI } from "../host/home.ts";
import type { Command } from "../host/launch.ts";
import { makeProject, readSlice, runTests } from "../host/project.ts";
import { RpcPi } from "../host/rpc.ts";
import { readEntries, texts, toolResults } from "../host/session-file.ts";
import { onStage } from "../host/stage.ts";
import { type Answer, conversation, type Prompt } from "../server/script.ts";
import { compilePi } from "./compiled.ts";
import { pack } from "./tarball.ts";

const folder = mkdtempSync(join(tmpdir(), "pi-zip-install-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const tarball = pack(folder);

/** Seconds; a compiled Pi cannot be given a moved clock, so the cache's life is short and the test waits. */
const LIFETIME = 2;
const FOLDED = /\[folded by pi-zip[\s\S]*?handle (\w+)/;

const recall: (prompt: Prompt) => Answer = ({ messages }) => {
	const folded = messages.find(({ role, text }) => role === "tool" && FOLDED.test(text));
	const handle = FOLDED.exec(folded?.text ?? "")?.[1];
	if (handle === undefined) return { text: "Nothing was folded." };
	return { calls: [{ name: "zip_recall", input: { handle } }] };
};
const script = conversation([
	{ prompt: "Run the tests.", answers: [{ calls: [runTests(1, 150)] }, { text: "One fails." }] },
	{ prompt: "Read the parser.", answers: [{ calls: [readSlice(0, 1, 120)] }, { text: "Read." }] },
	{ prompt: "Read the router.", answers: [{ calls: [readSlice(1, 1, 120)] }, { text: "Read." }] },
	{ prompt: "Which test failed?", answers: [recall, { text: "The one in the middle." }] },
]);

interface Form {
	name: string;
	/** The program and its first arguments. */
	pi: () => string[];
}

const FORMS: Form[] = [
	{ name: "Node", pi: () => [NODE, PI] },
	{
		name: "Bun",
		pi: () => {
			const place = join(folder, "compiled");
			mkdirSync(place);
			return [compilePi(place)];
		},
	},
];

function commandOf(home: Home, pi: string[], args: string[]): Command {
	const [file = "", ...first] = pi;
	return {
		file,
		args: [...first, ...args],
		cwd: home.project,
		env: home.env({ PI_ZIP_TTL_SECS: String(LIFETIME), TMPDIR: home.root }),
	};
}

for (const { name, pi } of FORMS) {
	test(`the tarball installs, folds and recalls in Pi on ${name}`, () =>
		onStage({ script, realTime: true, lifetime: LIFETIME }, async ({ home, server }) => {
			makeProject(home.project);
			const program = pi();
			const install = commandOf(home, program, ["install", `npm:pi-zip@file:${tarball.path}`]);
			execFileSync(install.file, install.args, { cwd: install.cwd, env: install.env, stdio: "pipe" });

			const rpc = new RpcPi(commandOf(home, program, ["--mode", "rpc", "--session-dir", home.sessions]));
			try {
				const { commands } = await rpc.ask<{ commands: { name: string }[] }>("get_commands");
				assert.ok(
					commands.some((command) => command.name === "zip"),
					`no /zip among ${commands.map((command) => command.name)}; stderr: ${rpc.stderr}`,
				);
				for (const prompt of ["Run the tests.", "Read the parser.", "Read the router."]) await rpc.run(prompt);
				const before = server.main.length;
				await wait(LIFETIME * 1500);
				await rpc.run("Which test failed?");

				assert.ok(FOLDED.test(server.main[before]?.raw ?? ""), "the cold return is folded");
				const results = toolResults(readEntries(await rpc.sessionFile()));
				const [original = ""] = texts(results[0]!.message!);
				assert.ok(original.length > 2000);
				assert.ok(texts(results.at(-1)!.message!).includes(original), "a block of the recall equals the original");

				// The command line beside the bundle runs in a thread of this process.
				await rpc.run("/zip report");
				const [, page = ""] = /wrote (\S+\.html)$/.exec(rpc.notices.join("\n")) ?? [];
				assert.ok(page.startsWith(home.root), rpc.notices.join("\n"));
				assert.match(readFileSync(page, "utf8"), /^<!doctype html>.*Folded \d outputs?/s);
				await rpc.run("/zip stats");
				assert.match(rpc.notices.join("\n"), /against plain Pi, by replay: /);

				assert.deepEqual(rpc.extensionErrors, []);
				assert.deepEqual(server.refused, []);
				assert.equal(await rpc.close(), 0);
			} finally {
				await rpc.kill();
			}
		}));
}
