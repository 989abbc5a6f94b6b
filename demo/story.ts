/**
 * What the demo's user asks and what the scripted model does about it. The tools are Pi's own and really run; only the
 * model's words are written down here. In the last prompt but one the model wants a report that pi-zip has folded: it
 * finds the handle in its own request and asks for the original, page by page. Pi alone still has the report in view.
 */
import type { Answer, Call, Exchange, Prompt } from "../tests/server/script.ts";

const PLACEHOLDER = /\[folded by pi-zip.*?handle ([0-9a-z]{10})/s;
/** How an answer of the recall tool says where its next page begins. */
const NEXT_PAGE = /"offset":(\d+)/;

const bash = (command: string): Call => ({ name: "bash", input: { command } });
const report = (suite: string, from: number, count: number): Call => bash(`node test.mjs ${suite} ${from} ${count}`);
const read = (path: string): Call => ({ name: "read", input: { path } });

/** A step: what the model says, and the tools it calls at once. */
const step = (text: string, ...calls: Call[]): Answer => ({ text, calls });

/** The first folded report that the model sees in its request. */
function foldedHandle({ messages }: Prompt): string | undefined {
	return messages.flatMap(({ role, text }) => (role === "tool" ? [PLACEHOLDER.exec(text)?.[1]] : [])).find(Boolean);
}

function askForReport(prompt: Prompt): Answer {
	const handle = foldedHandle(prompt);
	if (handle === undefined) return { text: "The first report is still here: case 40 fails." };
	return step("That report is folded; I fetch it.", { name: "zip_recall", input: { handle } });
}

function askForMore(prompt: Prompt): Answer {
	const handle = foldedHandle(prompt);
	const next = NEXT_PAGE.exec(prompt.messages.at(-1)?.text ?? "")?.[1];
	if (handle === undefined || next === undefined) return { text: "The first failure was case 40: the numeral XL." };
	return step("There is more of it.", { name: "zip_recall", input: { handle, offset: Number(next) } });
}

export interface Scene extends Exchange {
	/** The user was away so long that the cache has expired. */
	away: boolean;
}

export const STORY: Scene[] = [
	{
		prompt: "Run both suites and find out what fails.",
		away: false,
		answers: [
			step("I start with the numerals.", report("roman", 1, 800)),
			step("Some fail. Now the calendar and larger numbers.", report("calendar", 0, 520), report("roman", 1000, 560)),
			step("The rest of both.", report("calendar", 520, 580), report("roman", 1560, 540)),
			step("Here is the code.", read("src/roman.js"), read("src/calendar.js")),
			{ text: "The calendar is fine; numerals with XL come back wrong." },
		],
	},
	{
		prompt: "Repair it.",
		away: false,
		answers: [
			step(
				"The step at forty takes nothing.",
				bash("sed -i 's/value === 40 ? 0 : text.length/text.length/' src/roman.js && node test.mjs roman 35 20"),
			),
			{ text: "Forty is forty again." },
		],
	},
	{
		prompt: "Good. Try a few larger numbers.",
		away: true,
		answers: [
			step("From 2,000 on.", report("roman", 2000, 60)),
			step("And from 3,000 on.", report("roman", 3000, 60)),
			{ text: "Nothing fails up to 3,059." },
		],
	},
	{
		prompt: "What did the first report say, exactly?",
		away: true,
		answers: [askForReport, askForMore, askForMore, { text: "The first failure was case 40: the numeral XL." }],
	},
	{
		prompt: "Then tidy up and tell me what changed.",
		away: true,
		answers: [
			step("I look at the result.", read("src/roman.js")),
			step("And at its size.", bash("wc -l src/*.js test.mjs")),
			{ text: "One line of roman.js changed; both suites pass." },
		],
	},
];
