/** Folding pauses beside another context manager, by what it does or by its name, and goes on after a clean run. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ContextWithSystemEvent } from "@earendil-works/pi-coding-agent";
import { knownManager } from "../../src-ts/coexistence.ts";
import { clock } from "../world/clock.ts";
import { LIFETIME } from "../world/model.ts";
import { type Factory, inWorld, type World } from "../world/pi.ts";
import { FOLDED } from "../world/plain.ts";
import { task, taskPrompts } from "../world/tasks.ts";

type Messages = ContextWithSystemEvent["messages"];

type Sources = Parameters<typeof knownManager>[0];
type Packages = ReturnType<Sources["getSettings"]>["packages"];

/** The manager that is found where a tool or a command comes from such a place, or such packages are installed. */
function loaded(places: { tool?: string; command?: string; packages?: Packages }): string | undefined {
	const info = (path?: string) => (path === undefined ? [] : [{ sourceInfo: { path, source: path } }]);
	return knownManager({
		getAllTools: () => info(places.tool),
		getCommands: () => info(places.command),
		getSettings: () => ({ packages: places.packages }),
	} as unknown as Sources);
}

test("managers are known by where their tools and commands come from, and by the list of packages", () => {
	assert.equal(loaded({}), undefined);
	assert.equal(loaded({ tool: "/srv/pi/agent/npm/node_modules/magic-context/dist/index.js" }), "magic-context");
	assert.equal(loaded({ command: "npm:pi-smart-compact" }), "pi-smart-compact");
	assert.equal(loaded({ command: "C:\\pi\\npm\\pi-hot-compact\\index.js" }), "pi-hot-compact");
	assert.equal(loaded({ packages: ["npm:billion-context@1.2.0"] }), "billion-context");
	assert.equal(loaded({ packages: [{ source: "git:host.example/owner/pi-context-prune" }] }), "pi-context-prune");
	assert.equal(loaded({ packages: [{ source: "npm:magic-context", extensions: [] }] }), undefined, "filtered out");
	assert.equal(loaded({ tool: "/srv/pi/my-magic-context-notes/index.js" }), undefined);
	assert.equal(loaded({ tool: "/srv/magic-context/pi/tools/index.js" }), undefined, "somebody's project");
});

const paused = ({ notices }: World) => notices.filter((notice) => notice.includes("folding paused"));
const foldedIn = ({ last }: World) =>
	last.view.filter((message) => JSON.parse(message).role === "toolResult" && message.includes(FOLDED)).length;

async function comeBack(world: World, number: number): Promise<void> {
	clock.advance(LIFETIME);
	await world.prompt("Back again.", task(number));
}

function views(change: (messages: Messages) => Messages): Factory {
	return (api) => {
		api.on("context_with_system", (event) => ({ messages: change(event.messages) }));
	};
}

test("beside an extension that appends a reminder to each request we fold", async () => {
	const reminder: Messages[number] = { role: "user", content: "Remember the tests.", timestamp: 1 };
	await inWorld({ before: [views((messages) => [...messages, reminder])] }, async (world) => {
		await taskPrompts(world, 4);
		await comeBack(world, 10);
		assert.deepEqual(paused(world), []);
		assert.ok(foldedIn(world) > 0);
		assert.equal(JSON.parse(world.last.view.at(-1)!).content, reminder.content);
	});
});

test("beside an extension that shortens old results we pause, and say once what was changed", async () => {
	let shortens = true;
	const shorten = views((messages) =>
		messages.map((message, index) =>
			shortens && message.role === "toolResult" && index < messages.length - 8
				? { ...message, content: [{ type: "text", text: "cut" }] }
				: message,
		),
	);
	await inWorld({ before: [shorten] }, async (world) => {
		await taskPrompts(world, 4);
		await comeBack(world, 10);
		await comeBack(world, 11);
		assert.equal(foldedIn(world), 0);
		const [notice, ...more] = paused(world);
		assert.match(notice ?? "", /a tool result is shortened, entry \w+/);
		assert.deepEqual(more, []);
		await world.command("/zip");
		assert.match(world.notices.at(-1) ?? "", /paused: another extension changes the view/);

		shortens = false;
		await comeBack(world, 12);
		assert.equal(foldedIn(world), 0, "a whole run has to be clean first");
		await comeBack(world, 13);
		assert.ok(foldedIn(world) > 0);
		assert.ok(world.notices.some((line) => line.includes("folding again")));
	});
});

test("a change late in a run prolongs the pause", async () => {
	let runs = 0;
	let requests = 0;
	const late: Factory = (api) => {
		api.on("before_agent_start", () => {
			runs += 1;
			requests = 0;
		});
		api.on("context_with_system", (event) => {
			requests += 1;
			// In the fifth run from the first request, in the sixth from the second on.
			if (runs !== 5 && !(runs === 6 && requests > 1)) return undefined;
			const messages = event.messages.filter((message) => message.role !== "assistant");
			return { messages };
		});
	};
	await inWorld({ before: [late] }, async (world) => {
		await taskPrompts(world, 4);
		const folds: boolean[] = [];
		for (let run = 5; run <= 8; run += 1) {
			await comeBack(world, run);
			folds.push(foldedIn(world) > 0);
		}
		assert.deepEqual(folds, [false, false, false, true]);
	});
});
