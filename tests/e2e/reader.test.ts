/** `zip_recall` with a question: a reader of its own reads what was folded, and only what stands there is handed on. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { PI_ZIP } from "../host/home.ts";
import type { RpcPi } from "../host/rpc.ts";
import { type Message, readEntries, texts, toolResults } from "../host/session-file.ts";
import { CHAT, CLAUDE, RESPONSES, type Stage, type StageOptions } from "../host/stage.ts";
import { type Answer, conversation, type Prompt } from "../server/script.ts";
import type { Recorded } from "../server/server.ts";
import { SECRET } from "./extensions/redactor.ts";
import { atWork, coldReturn, exchanges, FOLDED, promptOf, runTasks } from "./work.ts";

const extensions = [PI_ZIP];
const ASK = "Ask about the first folded output.";
const FIND = "Search for a test report and ask about it.";
const QUESTION = "Which test comes first?";
const KEY = "sk-live-0123456789abcdef0123";

type Reader = (prompt: Prompt, turn: number) => Answer;

const isReader = ({ tools }: Prompt) => tools.length === 1 && tools[0] === "page";
const firstHandle = ({ messages }: Prompt) =>
	/handle ([0-9a-z]{10})/.exec(
		messages.find(({ role, text }) => role === "tool" && text.startsWith(FOLDED))?.text ?? "",
	)?.[1] ?? "none";

/** The usual tasks, a prompt that asks about what is folded, and what the reader answers to it. */
function asking(
	reader: Reader,
	options: Partial<StageOptions> = {},
	body: (stage: Stage) => Promise<void>,
): Promise<void> {
	const ask = (prompt: Prompt): Answer => ({
		text: "I ask.",
		calls: [{ name: "zip_recall", input: { handle: firstHandle(prompt), question: QUESTION } }],
	});
	const found = ({ messages }: Prompt): Answer => ({
		calls: [
			{
				name: "zip_recall",
				input: { handle: /^([0-9a-z]{10}) line/m.exec(messages.at(-1)?.text ?? "")?.[1] ?? "none", question: QUESTION },
			},
		],
	});
	const search: Answer = { calls: [{ name: "zip_search", input: { query: '"TAP version"' } }] };
	const main = conversation([
		...exchanges(8),
		{ prompt: ASK, answers: [ask] },
		{ prompt: FIND, answers: [search, found] },
	]);
	let turn = 0;
	const script = (prompt: Prompt) => {
		if (!isReader(prompt)) return main(prompt);
		turn += 1;
		return reader(prompt, turn);
	};
	return atWork({ script, ...options }, body);
}

async function answerIn(pi: RpcPi): Promise<Message & { text: string }> {
	const entries = readEntries(await pi.sessionFile());
	const message = toolResults(entries).findLast((entry) => entry.message?.toolName === "zip_recall")?.message;
	assert.ok(message, "the tool has answered");
	return { ...message, text: texts(message).join("\n") };
}

const readers = (stage: Stage): Recorded[] =>
	stage.server.requests.filter(({ raw }) => raw.includes(`Question: ${QUESTION}`) && raw.includes('"page"'));

const INVENTED = "ok 1 - a test that is nowhere";

for (const model of [CLAUDE, CHAT, RESPONSES]) {
	const cache = model === CLAUDE ? "explicit" : "automatic";
	test(`a reader pages, quotes that stand in the original come back and invented ones do not, ${model.api}`, () => {
		let wanted = "";
		const reader: Reader = ({ messages }, turn) => {
			if (turn === 1) return { calls: [{ name: "page", input: { grep: "^ok 1 " } }] };
			wanted = /^2\| (.+)$/m.exec(messages.map(({ text }) => text).join("\n"))?.[1] ?? "no line";
			return { text: `The first one.\n> 700| ${wanted}\nAnd one more.\n> 3| ${INVENTED}\n` };
		};
		return asking(reader, { models: [model], cache }, async (stage) => {
			const pi = stage.rpc({ extensions });
			await runTasks(pi, 0, 2);
			await pi.run(FIND);
			const { text, isError, usage } = await answerIn(pi);
			assert.ok(!isError, text);
			assert.match(
				text,
				/^\[zip_recall: read for "Which test comes first\?" by scripted\/\S+ in 2 turns\. all \d+ characters/,
			);
			assert.ok(text.includes(` 2| ${wanted}\n`), "the quote has its line's number");
			assert.match(text, /1 quote stands in the originals as given\. 1 quote was in no original and dropped/);
			assert.ok(!text.includes(INVENTED));
			const requests = readers(stage);
			assert.equal(requests.length, 2);
			const sizes = requests.reduce((sum, { size }) => sum + size, 0);
			assert.ok(usage);
			assert.equal(usage.input + usage.cacheRead + usage.cacheWrite, sizes, "counted in the session's totals");
			const later = stage.server.main.at(-1)!;
			assert.ok(later.raw.includes("The first one."));
			assert.deepEqual(pi.extensionErrors, []);
			assert.deepEqual(stage.server.refused, []);
		});
	});
}

test("at the very request that folds, a reader may be asked as well", () => {
	const reader: Reader = () => ({ text: "Nothing there." });
	const script = conversation([
		...exchanges(3),
		{
			prompt: promptOf(3),
			answers: [
				(prompt) => ({ calls: [{ name: "zip_recall", input: { handle: firstHandle(prompt), question: QUESTION } }] }),
			],
		},
	]);
	return atWork({ script: (prompt) => (isReader(prompt) ? reader(prompt, 1) : script(prompt)) }, async (stage) => {
		const pi = stage.rpc({ extensions });
		await coldReturn(stage, pi);
		const { text } = await answerIn(pi);
		assert.match(text, /No quote proves it.*\nNothing there\.$/s);
	});
});

const FAILURES: [what: string, reader: Reader, told: RegExp, turns: number][] = [
	[
		"fails",
		() => ({ error: { status: 400, type: "invalid_request_error", message: "no" } }),
		/the provider failed \(scripted/,
		1,
	],
	["says nothing", () => ({ text: " " }), /it gave no answer/, 1],
	[
		"asks for other tools",
		() => ({ calls: [{ name: "bash", input: { command: "touch asked-for" } }] }),
		/it asked for more than its turns/,
		6,
	],
];

for (const [what, reader, told, turns] of FAILURES) {
	test(`where the model ${what}, it is said, and the page comes instead`, () =>
		asking(reader, {}, async (stage) => {
			const pi = stage.rpc({ extensions });
			await coldReturn(stage, pi);
			await pi.run(ASK);
			const { text, isError } = await answerIn(pi);
			assert.ok(!isError, text);
			assert.match(text, told);
			assert.match(
				text,
				/Here is the page that the call gets without it\.\]\n\[zip_recall [0-9a-z]{10}: bash .*\nTAP version/s,
			);
			assert.equal(readers(stage).length, turns);
			assert.ok(!JSON.stringify(readers(stage).at(-1)?.body).includes("asked-for: "));
			assert.deepEqual(pi.extensionErrors, []);
		}));
}

test("Esc ends a reader, and the session goes on", () =>
	asking(
		() => ({ text: "Let me see", hang: true }),
		{},
		async (stage) => {
			const pi = stage.rpc({ extensions });
			await coldReturn(stage, pi);
			const settled = pi.settled();
			await pi.ask("prompt", { message: ASK });
			await stage.server.hung(1);
			await pi.ask("abort");
			await settled;
			assert.equal(readers(stage).length, 1);
			await pi.run(promptOf(4));
			assert.deepEqual(pi.extensionErrors, []);
			assert.deepEqual(stage.server.refused, []);
		},
	));

for (const redact of [true, false]) {
	test(`what looks like a secret ${redact ? "does not reach the reader" : "reaches the reader where the setting is off"}`, () => {
		const secret = { name: "bash", input: { command: `printf 'first\\napi_key = sk-%s\\n%3000d' ${KEY.slice(3)} 1` } };
		const tasks = exchanges(5);
		tasks[0] = { prompt: promptOf(0), answers: [{ calls: [secret] }, ...tasks[0]!.answers] };
		const ask = (prompt: Prompt): Answer => ({
			calls: [{ name: "zip_recall", input: { handle: firstHandle(prompt), question: QUESTION } }],
		});
		const main = conversation([...tasks, { prompt: ASK, answers: [ask] }]);
		const script = (prompt: Prompt): Answer | Promise<Answer> =>
			isReader(prompt) ? { text: "There.\n> 2| api_key = \n" } : main(prompt);
		return atWork({ script }, async (stage) => {
			writeFileSync(join(stage.home.agent, "pi-zip.json"), JSON.stringify({ redact }));
			const pi = stage.rpc({ extensions });
			await coldReturn(stage, pi);
			await pi.run(ASK);
			const [request] = readers(stage);
			assert.match(request?.raw ?? "", /api_key = /);
			assert.equal(request?.raw.includes(KEY), !redact);
			const { text } = await answerIn(pi);
			assert.equal(/Secrets were taken out of 1 line before/.test(text), redact);
			assert.match(text, / 2\| api_key =/);
		});
	});
}

test("no reader gets what another extension keeps out of requests", () => {
	const hidden = { name: "bash", input: { command: `printf 'tok_%s\\n%3000d' ${SECRET.slice(4)} 1` } };
	const tasks = exchanges(5);
	tasks[0] = { prompt: promptOf(0), answers: [{ calls: [hidden] }, ...tasks[0]!.answers] };
	const ask = (prompt: Prompt): Answer => ({
		calls: [{ name: "zip_recall", input: { handle: firstHandle(prompt), question: QUESTION } }],
	});
	const main = conversation([...tasks, { prompt: ASK, answers: [ask] }]);
	return atWork({ script: (prompt) => (isReader(prompt) ? { text: "read" } : main(prompt)) }, async (stage) => {
		const redactor = fileURLToPath(new URL("extensions/redactor.ts", import.meta.url));
		const pi = stage.rpc({ extensions: [redactor, PI_ZIP] });
		await coldReturn(stage, pi);
		await pi.run(ASK);
		assert.equal(readers(stage).length, 0);
		assert.match((await answerIn(pi)).text, /no reader has answered the question: what another extension keeps out/);
		assert.ok(stage.server.requests.every(({ raw }) => !raw.includes(SECRET)));
	});
});
