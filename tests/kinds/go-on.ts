/** Opens a session in real Pi and gives one prompt: some days later, unless the test says when. */

import type { SessionManager } from "@earendil-works/pi-coding-agent";
import { clock } from "../world/clock.ts";
import type { Answer } from "../world/model.ts";
import { inWorld, type Options, type World } from "../world/pi.ts";

/** Two requests, so that a plan is written before the second. */
export const GO_ON: Answer[] = [
	{ calls: [{ id: "now", name: "bash", args: { command: "ls" }, output: "src" }] },
	{ text: "So." },
];

interface When extends Options {
	/** In milliseconds since the epoch. */
	readonly at?: number;
}

export async function goOn(
	session: SessionManager,
	body: (world: World) => Promise<void>,
	{ at, ...options }: When = {},
): Promise<void> {
	await inWorld({ ...options, session }, async (world) => {
		if (at !== undefined) clock.advance(at - clock.now);
		await world.prompt("Go on.", GO_ON);
		await body(world);
	});
}
