/**
 * `npm run demo`: real Pi does the same work twice at the same time, alone and with pi-zip, against a scripted model
 * whose prompt cache and bill follow the providers' public rules. Exits 1 when a recalled byte differs, nothing was
 * folded, or the bill with pi-zip is more than 0.6 of the other.
 */
import { setTimeout as wait } from "node:timers/promises";
import { PI_ZIP } from "../tests/host/home.ts";
import type { RpcPi } from "../tests/host/rpc.ts";
import { readEntries } from "../tests/host/session-file.ts";
import { onStage, type Stage } from "../tests/host/stage.ts";
import { conversation } from "../tests/server/script.ts";
import { billLines, RATIO_BOUND } from "./bill.ts";
import { makeProject } from "./project.ts";
import { judgeRecalls } from "./recalls.ts";
import { type Scene, STORY } from "./story.ts";

/** Seconds that this model's cache lives; it declares so, and the server keeps to it. */
const LIFETIME = 3;
/** Seconds beyond the lifetime that the user stays away. */
const MARGIN = 0.3;
const MODEL = { id: "demo-model", api: "anthropic-messages" as const, promptCache: { short: LIFETIME } };

const out = (line = "") => console.log(line);
const thousands = (tokens: number) => `${(tokens / 1000).toFixed(1)}k`;

interface Side {
	pi: RpcPi;
	stage: Stage;
}

/** Tokens of the newest prompt. */
const context = ({ stage }: Side) => stage.server.main.at(-1)?.size ?? 0;

const recallCalls = ({ events }: RpcPi) =>
	events.filter(({ type, toolName }) => type === "tool_execution_start" && toolName === "zip_recall").length;

async function playScene(scene: Scene, number: number, plain: Side, zip: Side): Promise<void> {
	if (scene.away) {
		out(`\n  ... away for ${LIFETIME + MARGIN} s: the prompt cache expires ...`);
		await wait((LIFETIME + MARGIN) * 1000);
	}
	out(`\n  ${number}  > ${scene.prompt}`);
	const [notices, requests] = [zip.pi.notices.length, zip.stage.server.main.length];
	const recalls = recallCalls(zip.pi);
	await Promise.all([plain.pi.run(scene.prompt), zip.pi.run(scene.prompt)]);
	for (const notice of zip.pi.notices.slice(notices)) out(`     ${notice}`);
	const pages = recallCalls(zip.pi) - recalls;
	if (pages > 0) out(`     the model asked for a folded output: zip_recall, ${pages} page${pages === 1 ? "" : "s"}`);
	const count = zip.stage.server.main.length - requests;
	out(`     ${count} requests; context ${thousands(context(plain))} alone, ${thousands(context(zip))} with pi-zip`);
}

async function play(plainStage: Stage, zipStage: Stage): Promise<boolean> {
	for (const { home } of [plainStage, zipStage]) makeProject(home.project);
	const plain = { stage: plainStage, pi: plainStage.rpc() };
	const zip = { stage: zipStage, pi: zipStage.rpc({ extensions: [PI_ZIP] }) };
	for (const [at, scene] of STORY.entries()) await playScene(scene, at + 1, plain, zip);

	const refused = [...plainStage.server.refused, ...zipStage.server.refused];
	for (const { message } of refused) out(`\n  refused by the model's server: ${message}`);
	const recalls = judgeRecalls(readEntries(await zip.pi.sessionFile()));
	out();
	for (const line of recalls.lines) out(`  ${line}`);
	const { lines, ratio } = billLines(plainStage.server.bill(), zipStage.server.bill());
	out();
	for (const line of lines) out(`  ${line}`);
	if (ratio > RATIO_BOUND) out(`  That is more than the ${RATIO_BOUND} that this demo promises.`);
	return refused.length === 0 && recalls.exact && ratio <= RATIO_BOUND;
}

out(`
pi-zip demo: real Pi, real tools, a scripted model

  The same work is done twice at the same time: by Pi alone, and by Pi with
  pi-zip. The model's prompt cache and prices follow the providers' rules, but
  its cache lives ${LIFETIME} s instead of 5 minutes, so that we can really wait for it
  to expire.`);
const script = conversation(STORY);
const options = { models: [MODEL], lifetime: LIFETIME, realTime: true, script };
const good = await onStage(options, (plain) => onStage(options, (zip) => play(plain, zip)));
process.exitCode = good ? 0 : 1;
