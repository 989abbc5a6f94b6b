/** What the user types and asks for: /zip in its forms, kept over a restart, and the longer retention. */
import assert from "node:assert/strict";
import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { runCommandLine } from "../../src-ts/command-line.ts";
import { PI_ZIP } from "../host/home.ts";
import { AWAY, atWork, coldReturn, placeholders, promptOf, runTasks } from "./work.ts";

const extensions = [PI_ZIP];
const REQUESTS = 4;

test("/zip and /zip stats answer in a notice, ask no model, and tell of the folds", () =>
	atWork({}, async (stage) => {
		const pi = stage.rpc({ extensions });
		const say = async (command: string): Promise<string> => {
			const [notices, requests] = [pi.notices.length, stage.server.requests.length];
			await pi.run(command);
			assert.equal(stage.server.requests.length, requests, `${command} asks nobody`);
			return pi.notices.slice(notices).join("\n");
		};
		assert.match(await say("/zip"), /\bon\b.*folded: nothing/s);
		await coldReturn(stage, pi);
		const status = await say("/zip status");
		assert.match(status, /warm, goes cold in \d+ (min|s)/);
		assert.match(status, /folded: \d+ outputs/);
		// The prompt of that return opens a turn, so task 2 is no longer among the last two.
		assert.match(status, /cold return would fold: \d+ outputs?/);
		assert.match(await say("/zip stats"), /folded: \d+ outputs.*billed: \$0\.\d+.*against plain Pi, by replay: /s);
		const [, page = ""] = /wrote (\S+\.html)$/.exec(await say("/zip report")) ?? [];
		assert.match(readFileSync(page, "utf8"), /^<!doctype html>.*Folded \d+ outputs/s);
		rmSync(page);
		const [, lines = ""] = /to (\S+\.export\.jsonl) \(for you alone: secrets/.exec(await say("/zip export")) ?? [];
		assert.equal(statSync(lines).mode & 0o777, 0o600);
		const exported = readFileSync(lines, "utf8")
			.trimEnd()
			.split("\n")
			.map((line) => JSON.parse(line));
		assert.match(exported[0].warning, /secret/);
		const folded = exported.filter(({ view }) => view === "folded");
		assert.ok(folded.length > 0);
		for (const { seen, original } of folded) {
			assert.match(seen[0].text, /^\[folded by pi-zip/);
			assert.match(original[0].text, /\n.*\n/);
		}
		rmSync(lines);
		await say("/zip off");
		assert.match(await say("/zip"), /\boff\b/);
		assert.deepEqual(pi.extensionErrors, []);
	}));

test("the bill is the provider's, and what was saved is about what plain Pi pays more, folds that were taken back too", async () => {
	const play = (extensions: string[], unfolds: boolean) =>
		atWork({}, async (stage) => {
			const pi = stage.rpc({ extensions });
			await coldReturn(stage, pi, 6);
			await pi.run(promptOf(7));
			await stage.advance(AWAY);
			if (unfolds) await pi.run("/zip unfold all");
			await pi.run(promptOf(8));
			await pi.run(promptOf(9));
			const { money } = stage.server.bill();
			const stats = extensions.length > 0 ? await pi.run("/zip stats").then(() => pi.notices.at(-1) ?? "") : "";
			const session = await pi.sessionFile();
			await pi.close();
			const replayed = await runCommandLine(["replay", "--json", session], new AbortController().signal);
			return { money, stats, replayed: replayed ?? "" };
		});
	const { money: plain } = await play([], false);
	for (const unfolds of [false, true]) {
		const { money, stats, replayed } = await play(extensions, unfolds);
		const [, billed, without] = /: \$([\d.]+) instead of \$([\d.]+), saved/.exec(stats) ?? [];
		assert.ok(Math.abs(Number(billed) - money) <= 0.01, `$${billed} said, $${money} billed`);
		assert.ok(Math.abs(Number(without) - plain) <= 0.08 * plain, `$${without} said, plain Pi paid $${plain}`);
		const [session] = JSON.parse(replayed).sessions;
		assert.equal(Number(billed), Number(session.billed.toFixed(2)));
	}
});

test("/zip status tells all that a decision is made from, in plain words", () =>
	atWork({}, async (stage) => {
		const pi = stage.rpc({ extensions });
		await coldReturn(stage, pi);
		// A return that shows something: nothing is edited, and enough is read.
		await stage.advance(120);
		await pi.run(promptOf(4));
		await pi.run("/zip status");
		const status = pi.notices.at(-1) ?? "";
		const said = [
			/^cache: explicit; warm, goes cold in \d+ (min|s)$/m,
			/^lifetime: 5 min, /m,
			/^prices over input: read 0\.1, write 1\.25, output \d/m,
			// Its own stretch that has ended is not counted twice.
			/^run length: by this session, no earlier stretch is known$/m,
			/^lives through: 2 min \d+ % \(1 return\)$/m,
			/^last decision: left alone, warm and too small for an edit to pay$/m,
			/^ {2}growth [\d.]+K? a request; \d+ requests? since the cache was cold, \d+ to come$/m,
		];
		for (const line of said) assert.match(status, line);
		assert.deepEqual(pi.extensionErrors, []);
		await pi.close();
		// Another session expects the length of a run from this user's earlier ones.
		const next = stage.rpc({ extensions });
		await next.run("/zip status");
		assert.match(next.notices.at(-1) ?? "", /^run length: by this session and 2 earlier stretches, \d+ requests/m);
	}));

test("off and quiet are kept when the session is opened again", () =>
	atWork({}, async (stage) => {
		const pi = stage.rpc({ extensions });
		await runTasks(pi, 0, 3);
		await pi.run("/zip off");
		await pi.run("/zip quiet");
		const session = await pi.sessionFile();
		await pi.close();
		await stage.advance(AWAY);
		const again = stage.rpc({ extensions, session });
		await again.run(promptOf(3));
		assert.equal(placeholders(stage.server.main[3 * REQUESTS]!).length, 0);
		await again.run("/zip on");
		const notices = again.notices.length;
		await stage.advance(AWAY);
		await again.run(promptOf(4));
		assert.equal(placeholders(stage.server.main[4 * REQUESTS]!).length, 6);
		assert.equal(again.notices.length, notices, "quiet: a fold is not told of");
	}));

test("with the hour's retention ten minutes are warm and an hour is cold", () =>
	atWork({}, async (stage) => {
		const pi = stage.rpc({ extensions, env: { PI_CACHE_RETENTION: "long" } });
		await coldReturn(stage, pi);
		const warm = stage.server.main[3 * REQUESTS]!;
		assert.equal(placeholders(warm).length, 0);
		assert.ok(warm.charge!.read > 0);
		await stage.advance(3700);
		await pi.run(promptOf(4));
		const cold = stage.server.main[4 * REQUESTS]!;
		assert.equal(cold.charge?.read, 0);
		assert.ok(cold.charge!.writeHour > 0);
		assert.equal(placeholders(cold).length, 6);
	}));

test("in the terminal /zip report says where the page is, and the editor is back", () =>
	atWork({}, async (stage) => {
		const pi = stage.rpc({ extensions });
		await runTasks(pi, 0, 1);
		const session = await pi.sessionFile();
		await pi.close();
		const terminal = stage.terminal({ extensions, session, env: { TMPDIR: stage.home.root } }, 200, 50);
		await terminal.until((screen) => screen.includes("Task 0 is done."));
		await terminal.submit("/zip report");
		const screen = await terminal.until((shown) => /wrote \S+\.html/.test(shown));
		assert.doesNotMatch(screen, /Replaying this session/);
		await terminal.submit("/zip stats");
		await terminal.until((shown) => shown.includes("against plain Pi, by replay"));
		await terminal.close();
	}));

test("the settings file counts, /zip says what is in force, and what is wrong in the file is said once", () =>
	atWork({}, async (stage) => {
		const file = join(stage.home.agent, "pi-zip.json");
		writeFileSync(file, JSON.stringify({ target: 12_000, notices: "quiet", models: { a: 1 }, colour: "red" }));
		const pi = stage.rpc({ extensions });
		await pi.run("/zip");
		const said = pi.notices.join("\n");
		assert.match(said, /settings: target 12K, .*notices quiet\n.*warming decide, redact true, structure from 32000/s);
		assert.equal(pi.notices.filter((line) => line === "pi-zip · pi-zip.json: colour is no setting").length, 1);
		const notices = pi.notices.length;
		await coldReturn(stage, pi);
		assert.equal(placeholders(stage.server.main[3 * REQUESTS]!).length, 4);
		assert.equal(pi.notices.length, notices, "quiet: a fold is not told of");
		await pi.ask("new_session");
		await pi.run("/zip");
		assert.equal(pi.notices.filter((line) => line === "pi-zip · pi-zip.json: colour is no setting").length, 1);
		assert.deepEqual(pi.extensionErrors, []);
	}));

test("on the terminal settings are listed and changed, hold at once, and the file keeps what somebody wrote", () =>
	atWork({}, async (stage) => {
		const file = join(stage.home.agent, "pi-zip.json");
		const hand = '{\n  "mine": {"2": 1, "1": 2},\n  "notices": "line"\n}\n';
		writeFileSync(file, hand);
		const terminal = stage.terminal({ extensions }, 100, 40);
		await terminal.until((screen) => screen.includes("mine is no setting"));
		await terminal.submit("/zip settings");
		const listed = await terminal.until((screen) => screen.includes("Settings of pi-zip"));
		assert.match(listed, /→ target +40000\n +cacheRetention +unset\n +summaries +cached\n/);
		assert.match(listed, /target of scripted\/claude-scripted/);
		assert.match(listed, /What a cold return folds down to, in tokens\. Default: 40000\./);
		terminal.type("\r");
		await terminal.until((screen) => screen.includes("Enter to set"));
		terminal.type("\x15" + "12");
		terminal.type("\r");
		await terminal.until((screen) => screen.includes("must be a number from 1000 to 10000000"));
		terminal.type("000\r");
		await terminal.until((screen) => /→ target +12000/.test(screen));
		terminal.type("\x1b[B\x1b[B\r");
		await terminal.until((screen) => /→ summaries +uncached/.test(screen));
		assert.equal(
			readFileSync(file, "utf8"),
			hand.replace('"line"\n', '"line",\n  "target": 12000,\n  "summaries": "uncached"\n'),
		);
		assert.equal(readFileSync(`${file}.bak`, "utf8"), hand, "what stood there before the list was opened");
		terminal.type("\x1b");
		await terminal.until((screen) =>
			screen.includes("2 settings changed: target 12000, summaries uncached. Before that"),
		);
		await terminal.submit("/zip status");
		await terminal.until((screen) => /settings: target 12K.*\n.*summaries uncached/.test(screen));
		const torn = '{"target": 12000';
		writeFileSync(file, torn);
		await terminal.submit("/zip settings");
		await terminal.until((screen) => screen.includes("pi-zip.json: is no JSON"));
		terminal.type("\x1b[B\r");
		await terminal.until((screen) => screen.includes("is no JSON object: nothing was written"));
		assert.equal(readFileSync(file, "utf8"), torn);
		await terminal.close();
	}));
