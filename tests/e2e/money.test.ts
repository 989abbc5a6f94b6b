/** The scripted day: what it may cost against plain Pi, with and without interruptions, and whom Pi talks to in it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { PI_ZIP } from "../host/home.ts";
import { CLAUDE, RESPONSES } from "../host/stage.ts";
import { type Day, HOLD, playDay } from "./day.ts";
import { promptOf } from "./work.ts";

/** Dollars per million, like those of a model whose automatic cache bills its writes. */
const AUTOMATIC = { input: 2, read: 0.1, write: 2.5, output: 10 };
/** Cost over plain Pi's: the undisturbed day, and any other. */
const BOUND = 0.5;
const NEVER_ABOVE = 1;

async function ratio(t: { diagnostic: (line: string) => void }, day: Day): Promise<number> {
	const [plain, zip] = await Promise.all([playDay(day, {}), playDay(day, { extensions: [PI_ZIP] })]);
	for (const { requests } of [plain, zip])
		assert.deepEqual(
			requests.filter(({ status }) => status === 400),
			[],
		);
	assert.ok(zip.folded > 0, "something was folded");
	assert.equal(plain.folded, 0);
	assert.deepEqual(zip.connections, [zip.address]);
	const result = zip.bill.money / plain.bill.money;
	t.diagnostic(
		`$${plain.bill.money.toFixed(3)} plain, $${zip.bill.money.toFixed(3)} with pi-zip, ratio ${result.toFixed(3)}`,
	);
	return result;
}

test("the day costs at most half, and no host but the model's is asked", async (t) => {
	assert.ok((await ratio(t, {})) <= BOUND);
});

const DAYS: [string, Day][] = [
	["an unkind cache", { stage: { unkind: true } }],
	[
		"an automatic cache",
		{ stage: { models: [{ ...RESPONSES, prices: AUTOMATIC }], cache: "automatic", prices: AUTOMATIC } },
	],
	[
		"a model switch",
		{
			stage: { models: [CLAUDE, { ...CLAUDE, id: "claude-other" }] },
			events: {
				3: async (pi) => {
					await pi.ask("set_model", { provider: "scripted", modelId: "claude-other" });
					await pi.run(promptOf(3));
					return pi;
				},
			},
		},
	],
	[
		"an abort at a cold return",
		{
			events: {
				4: async (pi, stage) => {
					const settled = pi.settled();
					await pi.ask("prompt", { message: HOLD });
					await stage.server.hung(1);
					await pi.ask("abort");
					await settled;
					await pi.run(promptOf(4));
					return pi;
				},
			},
		},
	],
	[
		"steering at a cold return",
		{
			events: {
				6: async (pi) => {
					const [tool, settled] = [pi.event(({ type }) => type === "tool_execution_start"), pi.settled()];
					await pi.ask("prompt", { message: promptOf(6) });
					await tool;
					await pi.ask("steer", { message: "Look at the store first." });
					await settled;
					return pi;
				},
			},
		},
	],
	[
		"a resume",
		{
			events: {
				5: async (pi, stage, launch) => {
					const session = await pi.sessionFile();
					await pi.close();
					const next = stage.rpc({ ...launch, session });
					await next.run(promptOf(5));
					return next;
				},
			},
		},
	],
	[
		"a fork",
		{
			events: {
				7: async (pi) => {
					const { messages } = await pi.ask<{ messages: { entryId: string; text: string }[] }>("get_fork_messages");
					await pi.ask("fork", { entryId: messages.find(({ text }) => text === promptOf(5))!.entryId });
					await pi.run(promptOf(7));
					return pi;
				},
			},
		},
	],
];

for (const [name, day] of DAYS) {
	test(`a day with ${name} never costs more than plain Pi`, async (t) => {
		assert.ok((await ratio(t, day)) <= NEVER_ABOVE);
	});
}
