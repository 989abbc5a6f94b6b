/**
 * The lab against the scripted server: both price the same work by the same public rules, each in its own code. The lab
 * gets the session file that Pi left, the server saw the requests.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { replaySession } from "../../cli/lab.ts";
import { PI_ZIP, PROVIDER } from "../host/home.ts";
import { search } from "../host/project.ts";
import { CHAT, CLAUDE, RESPONSES, type StageOptions } from "../host/stage.ts";
import { conversation, type Exchange } from "../server/script.ts";
import { atWork, promptOf } from "./work.ts";

/** Seconds before each prompt, around the lifetime of an explicit cache. */
const GAPS = [0, 45, 420, 15, 600, 290, 3_600];
/** Well within the lifetime of an automatic cache, which nobody declares, and beyond any. */
const FAR_GAPS = [0, 45, 4_000, 15, 240, 7_200, 30];
/** Dollars per million, like those of a model whose automatic cache bills its writes, and of one whose does not. */
const BILLED_WRITES = { input: 2, read: 0.1, write: 2.5, output: 10 };
const FREE_WRITES = { input: 2, read: 0.5, output: 10 };
/** Error of the cost. */
const BOUND = 0.02;

interface Scenario {
	stage: Partial<StageOptions>;
	gaps?: number[];
	/** Who plays it; both where it is left out. */
	who?: string[];
}

/** More blocks in a round than a mark looks back over. */
function parallel(): Exchange[] {
	return GAPS.map((_, n) => {
		const calls = Array.from({ length: 12 }, (_, call) => search(n * 20 + call));
		return { prompt: promptOf(n), answers: [{ text: "All at once.", calls }, { text: "Done." }] };
	});
}

const SCENARIOS: Record<string, Scenario> = {
	"an explicit cache": { stage: {} },
	"an unkind explicit cache": { stage: { unkind: true } },
	"the hour tier": { stage: {}, gaps: [0, 1_200, 3_000, 3_700, 60, 20, 4_000] },
	"parallel calls": { stage: { script: conversation(parallel()) } },
	"an automatic cache that bills its writes": {
		stage: { models: [{ ...RESPONSES, prices: BILLED_WRITES }], cache: "automatic", prices: BILLED_WRITES },
		gaps: FAR_GAPS,
	},
	"an unkind automatic cache that does not": {
		stage: { models: [{ ...CHAT, prices: FREE_WRITES }], cache: "automatic", prices: FREE_WRITES, unkind: true },
		gaps: FAR_GAPS,
	},
	compactions: {
		stage: { models: [{ ...CLAUDE, contextWindow: 40_000 }] },
		gaps: [0, 20, 20, 20, 20, 20, 20, 20],
		who: ["plain Pi"],
	},
	"two models": { stage: { models: [CLAUDE, { ...CLAUDE, id: "claude-other" }] } },
};

for (const [name, { stage: options, gaps = GAPS, who = ["plain Pi", "pi-zip"] }] of Object.entries(SCENARIOS)) {
	for (const player of who) {
		test(`${name}, ${player}: the lab and the server agree`, async (t) => {
			await atWork(options, async (stage) => {
				const extensions = player === "pi-zip" ? [PI_ZIP] : [];
				const env: { [name: string]: string } = name === "the hour tier" ? { PI_CACHE_RETENTION: "long" } : {};
				const pi = stage.rpc({ extensions, env });
				for (const [n, gap] of gaps.entries()) {
					await stage.advance(gap);
					const other = options.models?.[1];
					if (other) await pi.ask("set_model", { provider: PROVIDER, modelId: n % 2 === 0 ? CLAUDE.id : other.id });
					await pi.run(promptOf(n));
				}
				const file = await pi.sessionFile();
				await pi.close();
				const bill = stage.server.bill();
				const { billed, recorded } = replaySession(readFileSync(file), false, "");
				t.diagnostic(`$${bill.money.toFixed(4)} by the server, $${recorded.toFixed(4)} by the lab`);
				assert.ok(bill.read > 0 && bill.write + bill.writeHour > 0);
				assert.ok(Math.abs(billed / bill.money - 1) < 0.005, `$${billed} recorded, $${bill.money} billed`);
				assert.ok(Math.abs(recorded / bill.money - 1) <= BOUND, `off by ${recorded / bill.money - 1}`);
			});
		});
	}
}
