/**
 * The scripted day: ten prompts after given gaps, each with four or five tool rounds (test reports of 100 to 180 lines,
 * slices of a file of 100 to 150 lines, searches of 60 to 100 lines) and a short answer; and what may happen in it.
 * The same day is played by plain Pi and with extensions.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { LaunchOptions } from "../host/launch.ts";
import { makeProject } from "../host/project.ts";
import type { RpcPi } from "../host/rpc.ts";
import { onStage, type Stage, type StageOptions } from "../host/stage.ts";
import type { Charge } from "../server/bill.ts";
import { conversation } from "../server/script.ts";
import type { Recorded } from "../server/server.ts";
import { exchange, FOLDED, promptOf } from "./work.ts";

/** Seconds before each prompt. */
export const GAPS = [0, 45, 420, 15, 600, 30, 380, 3600, 20, 500];

export interface Day {
	/** What happens instead of just prompting; returns the Pi to go on with. */
	events?: { [prompt: number]: (pi: RpcPi, stage: Stage, launch: LaunchOptions) => Promise<RpcPi> };
	stage?: Partial<StageOptions>;
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

/** A prompt whose answer never ends. */
export const HOLD = "Think about it for long.";

function dayScript() {
	const work = GAPS.map((_, n) => exchange(n, 4 + (n % 2)));
	return conversation([...work, { prompt: HOLD, answers: [{ text: "I think about it.", hang: true }] }]);
}

export function playDay(day: Day, launch: LaunchOptions): Promise<Outcome> {
	return onStage({ script: dayScript(), ...day.stage }, async (stage) => {
		makeProject(stage.home.project);
		const network = join(stage.home.root, "network");
		const recorded = { ...launch, network };
		let pi = stage.rpc(recorded);
		for (const [n, gap] of GAPS.entries()) {
			await stage.advance(gap);
			const event = day.events?.[n];
			if (event) pi = await event(pi, stage, recorded);
			else await pi.run(promptOf(n));
		}
		await pi.close();
		const requests = stage.server.requests;
		const folded = requests.filter(({ raw }) => raw.includes(FOLDED)).length;
		const connections = [...new Set(readFileSync(network, "utf8").trim().split("\n"))];
		return { bill: stage.server.bill(), requests, folded, connections, address: `127.0.0.1:${stage.server.port}` };
	});
}
