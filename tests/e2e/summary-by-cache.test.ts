/** Summaries that are read from the warm cache, as a continuation of the session's own request. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { PI_ZIP } from "../host/home.ts";
import { CHAT, CLAUDE, RESPONSES } from "../host/stage.ts";
import { DEFAULT_PRICES } from "../server/bill.ts";
import { conversation } from "../server/script.ts";
import type { Recorded } from "../server/server.ts";
import { CACHED, compactions, ROUNDS, summaryRequests, work } from "./compacting.ts";
import { byCache, summing, TOLD } from "./summing.ts";
import { AWAY, exchanges, promptOf, runTasks, view } from "./work.ts";

const extensions = [PI_ZIP];
const extension = (name: string): string => fileURLToPath(new URL(`extensions/${name}.ts`, import.meta.url));

const filesBelow = (folder: string): string[] =>
	(readdirSync(folder, { recursive: true }) as string[])
		.map((name) => join(folder, name))
		.filter((file) => statSync(file).isFile());

for (const model of [CLAUDE, CHAT, RESPONSES]) {
	const options = { models: [model], cache: model === CLAUDE ? ("explicit" as const) : ("automatic" as const) };
	test(`while the cache is warm, a summary reads from it and leaves the conversation as it was, ${model.api}`, () =>
		work(
			{ ...options, script: summing(conversation(exchanges(8, ROUNDS))) },
			async (stage) => {
				const pi = stage.rpc({ extensions });
				await runTasks(pi, 0, 4);
				await pi.ask("compact");
				const [entry] = await compactions(pi);
				assert.equal(entry?.details?.path, "cached");
				assert.equal(entry.summary?.slice(...(entry.details.narrative ?? [0, 0])), TOLD);
				const [asked, ...others] = byCache(stage);
				assert.equal(others.length + summaryRequests(stage).length, 0);
				const { read, write, input } = asked!.charge!;
				assert.ok(read >= 0.95 * (read + write + input), `${read} read, ${write} written, ${input} put in`);
				await pi.run(promptOf(4));
				assert.match(view(stage.server.main.at(-1)!).join("\n"), /pi-zip: this stands for/);
				for (const file of filesBelow(stage.home.root)) {
					const holdsKey = readFileSync(file, "utf8").includes("scripted-key");
					assert.equal(holdsKey, file.endsWith("models.json"), file);
				}
				assert.deepEqual(stage.server.refused, []);
				assert.deepEqual(pi.extensionErrors, []);
			},
			CACHED,
		));
}

test("of a hundred thousand tokens the cache gives at least 95 of 100, at a seventh of the price", () => {
	// Pasted text, which nothing folds.
	const pasted = (n: number) => `${promptOf(n)}\n${"as it was pasted ".repeat(6_500)}`;
	const script = conversation(exchanges(4, ROUNDS).map((one, n) => ({ ...one, prompt: pasted(n) })));
	return work(
		{ models: [CLAUDE], script: summing(script) },
		async (stage) => {
			const pi = stage.rpc({ extensions });
			for (let n = 0; n < 4; n += 1) await pi.run(pasted(n));
			await pi.ask("compact");
			const [{ charge, size }] = byCache(stage) as [Recorded];
			assert.ok(size > 100_000, `${size} tokens`);
			const { read, write, input, money, output } = charge!;
			assert.ok(read >= 0.95 * (read + write + input));
			const { input: price, output: outputPrice } = DEFAULT_PRICES;
			assert.ok(money - (output * outputPrice) / 1e6 <= (0.15 * size * price) / 1e6);
		},
		CACHED,
	);
});

test("a tool that the summary asks for by the cache is not run, and it is asked again", () => {
	const calls = [{ name: "bash", input: { command: "touch ran-it" } }];
	const script = summing(conversation(exchanges(8, ROUNDS)), [{ text: "Let me look.", calls }, { text: "- bullets" }]);
	return work(
		{ models: [CLAUDE], script },
		async (stage) => {
			const pi = stage.rpc({ extensions });
			await runTasks(pi, 0, 3);
			await pi.ask("compact");
			const [entry] = await compactions(pi);
			assert.equal(entry?.details?.reason, "written at the second try");
			assert.equal(entry.details.path, "cached");
			assert.equal(byCache(stage).length, 2);
			assert.equal(existsSync(join(stage.home.project, "ran-it")), false);
			assert.deepEqual(stage.server.refused, []);
		},
		CACHED,
	);
});

test("once the cache has expired, a summary is a request of its own", () =>
	work(
		{ models: [CLAUDE], script: summing(conversation(exchanges(8, ROUNDS))) },
		async (stage) => {
			const pi = stage.rpc({ extensions });
			await runTasks(pi, 0, 3);
			await stage.advance(AWAY);
			await pi.ask("compact");
			assert.equal((await compactions(pi))[0]?.details?.path, "uncached");
			assert.equal(byCache(stage).length, 0);
		},
		CACHED,
	));

test("an extension behind us that changes requests is seen by what was read, and the cache is not tried again", () =>
	work(
		{ models: [CLAUDE], script: summing(conversation(exchanges(8, ROUNDS))) },
		async (stage) => {
			const pi = stage.rpc({ extensions: [PI_ZIP, extension("tagger")] });
			await runTasks(pi, 0, 3);
			await pi.ask("compact");
			assert.equal((await compactions(pi))[0]?.details?.path, "cached");
			await runTasks(pi, 3, 6);
			await pi.ask("compact");
			assert.equal((await compactions(pi))[1]?.details?.path, "uncached");
			await pi.run("/zip");
			assert.match(pi.notices.at(-1) ?? "", /the cache was not read, so it is not tried again/);
		},
		CACHED,
	));
