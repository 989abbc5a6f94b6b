/**
 * Plays a scenario in real Pi against the scripted provider, and gives the bill: prompts after given gaps, and what may
 * happen around them. The same scenario is played by plain Pi and with extensions.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { LaunchOptions } from "../host/launch.ts";
import { makeProject } from "../host/project.ts";
import type { RpcPi } from "../host/rpc.ts";
import { onStage, type Stage, type StageOptions } from "../host/stage.ts";
import type { Charge } from "../server/bill.ts";
import { conversation, type Exchange } from "../server/script.ts";
import type { Recorded } from "../server/server.ts";
import { summing } from "./summing.ts";
import { placeholders } from "./work.ts";

/** What happens instead of just prompting; returns the Pi to go on with. */
export type Happening = (pi: RpcPi, stage: Stage, launch: LaunchOptions) => Promise<RpcPi>;

export interface Scenario {
	exchanges: Exchange[];
	/** Seconds before each prompt; none where they follow one another. */
	gaps?: readonly number[];
	happens?: { [prompt: number]: Happening };
	stage?: Partial<StageOptions>;
	/** Time passes in small steps, and Pi's timers with it; otherwise it leaps. */
	passes?: true;
}

export interface Outcome {
	bill: Charge;
	requests: Recorded[];
	/** Requests that carry a placeholder. */
	folded: number;
	/** Each place that Pi connected to, once. */
	connections: string[];
	/** The model's. */
	address: string;
}

/** A summary of the length that is asked for. */
const NARRATIVE = `### Decisions and why\n${"The parser keeps its form, since the suite that was run shows it. ".repeat(55)}`;

/** A prompt whose answer never ends. */
export const HOLD = "Think about it for long.";

export function play({ exchanges, gaps = [], happens = {}, stage: options, passes }: Scenario, launch: LaunchOptions) {
	const script = summing(
		conversation([...exchanges, { prompt: HOLD, answers: [{ text: "I think about it.", hang: true }] }]),
		[{ text: NARRATIVE }],
	);
	return onStage({ script, ...options }, async (stage): Promise<Outcome> => {
		makeProject(stage.home.project);
		const network = join(stage.home.root, "network");
		const recorded = { ...launch, network, ...(passes ? { movedTimers: true } : {}) };
		let pi = stage.rpc(recorded);
		for (const [n, { prompt }] of exchanges.entries()) {
			if (gaps[n]) await (passes ? stage.pass(gaps[n]) : stage.advance(gaps[n]));
			const happening = happens[n];
			if (happening) pi = await happening(pi, stage, recorded);
			else await pi.run(prompt);
		}
		await pi.close();
		const requests = stage.server.requests;
		const folded = requests.filter((request) => placeholders(request).length > 0).length;
		const connections = [...new Set(readFileSync(network, "utf8").trim().split("\n"))];
		return { bill: stage.server.bill(), requests, folded, connections, address: `127.0.0.1:${stage.server.port}` };
	});
}
