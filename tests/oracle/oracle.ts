/**
 * The rule of a cold return once more: slow, plain, on Pi's own projection, sharing nothing with the core.
 *
 * From the core's answer it takes only what is not the rule: the calibration (`factor`, `before`), the requests that are
 * expected (`ahead`) and the length of each placeholder. It knows no unchanged files, no steering and no recalls; recorded
 * sessions hold none.
 */

import type { buildSessionProjection, SessionEntry, SessionMessageEntry } from "@earendil-works/pi-coding-agent";

export interface Rule {
	/** Real tokens; an output of more may be folded. */
	readonly foldMin: number;
	/** Real tokens; protected turns are folded only above it. */
	readonly target: number;
	/** Requests. */
	readonly inTurnAge: number;
	/** Requests that an output is left alone. */
	readonly age: number;
	/** Requests that the outputs of a file are left alone which was read or changed. */
	readonly workingSet: number;
	/** Real tokens at the beginning of a request that stay. */
	readonly head: number;
	/** Requests that are expected before the cache is lost again. */
	readonly ahead: number;
	/** Prices of a token. */
	readonly prices: { readonly output: number; readonly read: number; readonly write: number };
	readonly recallable: boolean;
	/** Real tokens to an estimated one. */
	readonly factor: number;
	/** Real tokens of the context before anything is folded. */
	readonly before: number;
	/** UTF-16 units of the entry's placeholder; undefined where the core wrote none. */
	readonly placeholder: (id: string) => number | undefined;
}

type Result = Extract<SessionMessageEntry["message"], { role: "toolResult" }>;
type Call = { id: string; name: string; arguments: Record<string, unknown> };

interface Output {
	readonly id: string;
	readonly turnsBack: number;
	readonly age: number;
	readonly estimated: number;
	readonly readAgain: boolean;
	/** The chance that it is needed among the requests that are expected. */
	readonly chance: number;
}

/** No placeholder is longer, in estimated tokens. */
const LONGEST_PLACEHOLDER = 150;

const estimate = (units: number) => Math.ceil(units / 4);

/** What the request in which the model asks counts over its money. */
const TROUBLE = 2.5;

/** Ids of the entries that the rule folds, in the order of the view. `path` leads from the root to the new prompt. */
export function folds(
	path: SessionEntry[],
	projection: ReturnType<typeof buildSessionProjection>,
	rule: Rule,
): { ids: string[]; trusted: string[] } {
	const outputs = foldable(path, projection, rule);
	const folded = new Set<string>();
	const trusted: string[] = [];
	let context = rule.before;
	const fold = (output: Output) => {
		const written = rule.placeholder(output.id);
		// Where the core wrote none for an output this short, its placeholder may be over a third: that is not known here.
		if (written === undefined && output.estimated < 3 * LONGEST_PLACEHOLDER) return trusted.push(output.id);
		const placeholder = estimate(written ?? 0);
		if (placeholder * 3 > output.estimated) return;
		folded.add(output.id);
		context -= rule.factor * (output.estimated - placeholder);
	};
	const foldToTarget = (some: Output[]) => {
		for (const output of some.toSorted((a, b) => b.estimated - a.estimated)) {
			if (Math.round(context) > rule.target && !folded.has(output.id)) fold(output);
		}
	};
	const isOld = ({ turnsBack, age }: Output) => turnsBack >= 2 || age >= rule.inTurnAge;
	const allowed = outputs.filter((output) => output.readAgain || (rule.recallable && isOld(output)));
	const after = rule.before - allowed.reduce((sum, output) => sum + saves(output, rule), 0);
	const worthIt = allowed.filter((output) => isWorthIt(output, rule, after));
	for (const output of worthIt) if (output.turnsBack >= 2) fold(output);
	foldToTarget(worthIt.filter((output) => output.turnsBack < 2 && output.readAgain));
	foldToTarget(worthIt.filter((output) => output.turnsBack < 2 && !output.readAgain));
	return { ids: outputs.map((output) => output.id).filter((id) => folded.has(id)), trusted };
}

/** Real tokens that a view loses with an output, before its placeholder is known. */
function saves({ estimated }: Output, { factor }: Rule): number {
	return factor * (estimated - Math.min(80, Math.floor(estimated / 3)));
}

/** Whether what is saved, now and later, is more than what recalls will cost in a view of `after` real tokens. */
function isWorthIt(output: Output, rule: Rule, after: number): boolean {
	const { ahead, prices } = rule;
	const tokens = saves(output, rule);
	const asking = prices.read * after + (prices.output + prices.write) * 80;
	const recall = TROUBLE * asking + (prices.write + (prices.read * ahead) / 2) * tokens;
	return (prices.write + prices.read * ahead) * tokens > output.chance * recall;
}

/** Per cent of outputs that are needed once more, by what made them, at these ages in requests. */
const AGES = [3, 6, 12, 24, 48];
const NEEDED = {
	early: [57, 52, 46, 38, 20],
	file: [15, 11, 8, 5, 1.5],
	oldFile: [10, 7, 6, 4, 1.5],
	part: [12, 6, 4, 4, 1],
	look: [14, 10, 8, 6, 1.5],
	run: [7, 6, 3, 1, 0.5],
	other: [6, 3, 2, 1, 0.5],
};
/** Files that are read in the first requests of a session are what it is about. */
const EARLY = 20;

function needed(kind: keyof typeof NEEDED, age: number): number {
	const line = NEEDED[kind];
	const to = AGES.findIndex((at) => at > age);
	if (to === 0) return (line[0]! * AGES[0]!) / Math.max(age, 2);
	if (to < 0) return (line.at(-1)! * AGES.at(-1)!) / age;
	const share = (age - AGES[to - 1]!) / (AGES[to]! - AGES[to - 1]!);
	return line[to - 1]! + (line[to]! - line[to - 1]!) * share;
}

function foldable(path: SessionEntry[], projection: ReturnType<typeof buildSessionProjection>, rule: Rule): Output[] {
	const edited = new Set(path.flatMap((entry) => (entry.type === "context_edit" ? [entry.targetId] : [])));
	const outputs: Output[] = [];
	let open: Call[] = [];
	const all = projection.messages.reduce((sum, message) => sum + estimate(heldUnits(message)), 0);
	const answers = path.filter((entry) => isMessage(entry, "assistant")).length;
	let front = 0;
	for (const { sourceEntry, messages } of projection.entries) {
		for (const message of messages) {
			const inFront = rule.before - rule.factor * (all - front);
			front += estimate(heldUnits(message));
			if (message.role === "assistant") open = callsOf(message);
			else if (message.role === "bashExecution") open = message.excludeFromContext ? open : [];
			else if (["user", "custom", "branchSummary", "compactionSummary"].includes(message.role)) open = [];
			if (message.role !== "toolResult") continue;
			const at = open.findIndex((call) => call.id === message.toolCallId);
			const [call] = at < 0 ? [] : open.splice(at, 1);
			const units = outputUnits(message);
			if (!call || units === undefined || edited.has(sourceEntry.id) || message.toolName === "zip_recall") continue;
			if (Math.round(rule.factor * estimate(units)) <= rule.foldMin) continue;
			if (isInHead(inFront, rule, rule.placeholder(sourceEntry.id) !== undefined)) continue;
			const later = path.slice(path.indexOf(sourceEntry) + 1);
			const age = later.filter((entry) => isMessage(entry, "assistant")).length;
			const since = later.flatMap((entry, at) => callsIn(entry).map((call) => ({ call, age: requests(later, at) })));
			const file = fileOf(call);
			const touches = since.filter((other) => file !== undefined && fileOf(other.call) === file);
			const superseded = since.some((other) => sameCall(other.call, call) || isGivenAgain(call, file, other.call));
			const inUse = [...touches.map((touch) => touch.age), age].some((since) => since < rule.workingSet);
			const turnsBack = later.filter((entry) => isMessage(entry, "user")).length;
			if ((turnsBack < 2 && age < rule.age) || (file !== undefined && inUse && !superseded)) continue;
			const kind = kindOf(call, answers - age, touches.length > 0);
			const size = Math.min(2, Math.max(0.6, Math.sqrt(Math.round(rule.factor * estimate(units)) / 1500)));
			const share = (needed(kind, age) - needed(kind, age + rule.ahead)) / 100;
			outputs.push({
				id: sourceEntry.id,
				turnsBack,
				age,
				estimated: estimate(units),
				readAgain: !message.isError && canReadAgain(call),
				chance: Math.min(1, share * size * (superseded ? 0.3 : 1)),
			});
		}
	}
	return outputs;
}

/** `request` counts the answers up to the call's. */
function kindOf(call: Call, request: number, isTouched: boolean): keyof typeof NEEDED {
	if (call.name === "bash") return isLook(call) ? "look" : "run";
	if (call.name !== "read") return "other";
	if (request < EARLY) return "early";
	if (call.arguments.offset !== undefined || call.arguments.limit !== undefined) return "part";
	return isTouched ? "oldFile" : "file";
}

/** Within this share of the head its end is left to the core: sizes are rough here. */
const ROUGH = 0.4;

function isInHead(inFront: number, { head }: Rule, isFolded: boolean): boolean {
	return Math.abs(inFront / head - 1) < ROUGH ? !isFolded : inFront < head;
}

/** What Pi counts for an image. */
const IMAGE_UNITS = 4_800;

/** UTF-16 units that a message holds, roughly. */
function heldUnits(message: object): number {
	const { content, summary, sections, toolsAdded, stopReason, output } = message as { [name: string]: unknown };
	if (stopReason === "error" || stopReason === "aborted") return 0;
	if (typeof output === "string") return output.length;
	const more = [sections, toolsAdded].reduce<number>((sum, part) => sum + (JSON.stringify(part)?.length ?? 0), 0);
	if (typeof summary === "string") return summary.length + more;
	if (!Array.isArray(content)) return (typeof content === "string" ? content.length : 0) + more;
	const held = ({ type, text, thinking, arguments: given }: { [name: string]: unknown }) =>
		type === "image"
			? IMAGE_UNITS
			: ([text, thinking].find((part) => typeof part === "string")?.length ?? JSON.stringify(given)?.length ?? 0);
	return content.reduce((sum, block) => sum + held(block), more);
}

/** All calls that an entry holds, whether Pi sends it or not. */
function callsIn(entry: SessionEntry): Call[] {
	if (entry.type !== "message" || entry.message.role !== "assistant" || !Array.isArray(entry.message.content))
		return [];
	return entry.message.content.filter((block) => block.type === "toolCall") as Call[];
}

/** Answers behind the place `at`. */
function requests(later: SessionEntry[], at: number): number {
	return later.slice(at + 1).filter((entry) => isMessage(entry, "assistant")).length;
}

function fileOf(call: Call): unknown {
	return ["read", "edit", "write"].includes(call.name) ? call.arguments.path : undefined;
}

function sameCall(one: Call, other: Call): boolean {
	return one.name === other.name && JSON.stringify(one.arguments) === JSON.stringify(other.arguments);
}

/** Whether a later call read the whole file that a read showed, or wrote it. */
function isGivenAgain(call: Call, file: unknown, later: Call): boolean {
	const isWhole =
		later.name === "write" ||
		(later.name === "read" && !("offset" in later.arguments) && !("limit" in later.arguments));
	return call.name === "read" && file !== undefined && fileOf(later) === file && isWhole;
}

function isLook(call: Call): boolean {
	return typeof call.arguments.command === "string" && readsOnly(call.arguments.command);
}

function callsOf(message: { content: unknown; stopReason?: string }): Call[] {
	if (message.stopReason === "error" || message.stopReason === "aborted" || !Array.isArray(message.content)) return [];
	return message.content.filter((block) => block.type === "toolCall");
}

function isMessage(entry: SessionEntry, role: string): boolean {
	return entry.type === "message" && entry.message.role === role;
}

/** Length of an output of text and images; undefined where it holds anything else. */
function outputUnits({ content }: Result): number | undefined {
	if (typeof content === "string") return (content as string).length;
	if (!Array.isArray(content) || content.some(({ type }) => type !== "text" && type !== "image")) return undefined;
	return content.reduce((sum, block) => sum + (block.type === "text" ? block.text.length : IMAGE_UNITS), 0);
}

const READERS = ["ls", "cat", "head", "tail", "wc", "grep", "rg", "find", "file", "stat", "du", "pwd", "echo", "cd"];
const GIT_READERS = ["log", "show", "diff", "status", "blame", "shortlog"];
const UNSAFE_OPTIONS =
	/\s-(delete|exec|execdir|ok|okdir|fls|fprintf?|fprint0)\b|\s--?(output|ext-diff|textconv|pre|hostname-bin|compile)\b|\s-C\b/;

/** What Pi's own tools take. A call with anything else is of a tool of the same name that is not known here. */
const ARGUMENTS: Record<string, string[]> = {
	bash: ["command", "timeout"],
	grep: ["pattern", "path", "glob", "ignoreCase", "literal", "context", "limit"],
	find: ["pattern", "path", "limit"],
	ls: ["path", "limit"],
};

function canReadAgain({ name, arguments: given }: Call): boolean {
	const known = ARGUMENTS[name];
	if (!known || Object.keys(given).some((argument) => !known.includes(argument))) return false;
	return name !== "bash" || (typeof given.command === "string" && readsOnly(given.command));
}

/** A shell line of readers only. Quoted text is one word; what else the shell would expand or redirect is refused. */
function readsOnly(line: string): boolean {
	const quiet = line.replace(/'[^']*'|"(?:[^"$`\\]|\\.)*"/g, "quoted").replace(/2>&1|[012&]?>\s*\/dev\/null/g, " ");
	if (/[<>`$(){}\\\n]|(?<!&)&(?!&)/.test(quiet) || UNSAFE_OPTIONS.test(quiet)) return false;
	return quiet.split(/\|\||&&|[;|]/).every((command) => {
		const [name = "", verb = ""] = command.trim().split(/\s+/);
		return READERS.includes(name) || (name === "git" && GIT_READERS.includes(verb));
	});
}
