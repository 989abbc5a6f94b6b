/**
 * The folding rule once more: slow, plain, on Pi's own projection, sharing nothing with the core.
 *
 * From the core's answer it takes only what is not the rule: the calibration (`factor`, `before`) and the length of each
 * placeholder. It knows no unchanged files, no steering and no recalls; recorded sessions hold none.
 */

import type { buildSessionProjection, SessionEntry, SessionMessageEntry } from "@earendil-works/pi-coding-agent";

export interface Rule {
	/** Real tokens; an output of more may be folded. */
	readonly foldMin: number;
	/** Real tokens; protected turns are folded only above it. */
	readonly target: number;
	/** Requests. */
	readonly inTurnAge: number;
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
}

/** No placeholder is longer, in estimated tokens. */
const LONGEST_PLACEHOLDER = 150;

const estimate = (units: number) => Math.ceil(units / 4);

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
	const reachable = outputs.filter((output) => rule.recallable || output.readAgain);
	for (const output of reachable) if (output.turnsBack >= 2) fold(output);
	foldToTarget(outputs.filter((output) => output.turnsBack === 1 && output.readAgain));
	foldToTarget(reachable.filter((output) => output.turnsBack < 2 && output.age >= rule.inTurnAge));
	return { ids: outputs.map((output) => output.id).filter((id) => folded.has(id)), trusted };
}

function foldable(path: SessionEntry[], projection: ReturnType<typeof buildSessionProjection>, rule: Rule): Output[] {
	const edited = new Set(path.flatMap((entry) => (entry.type === "context_edit" ? [entry.targetId] : [])));
	const outputs: Output[] = [];
	let open: Call[] = [];
	for (const { sourceEntry, messages } of projection.entries) {
		for (const message of messages) {
			if (message.role === "assistant") open = callsOf(message);
			else if (message.role === "bashExecution") open = message.excludeFromContext ? open : [];
			else if (["user", "custom", "branchSummary", "compactionSummary"].includes(message.role)) open = [];
			if (message.role !== "toolResult") continue;
			const at = open.findIndex((call) => call.id === message.toolCallId);
			const [call] = at < 0 ? [] : open.splice(at, 1);
			const units = textUnits(message);
			if (!call || units === undefined || edited.has(sourceEntry.id) || message.toolName === "zip_recall") continue;
			if (Math.round(rule.factor * estimate(units)) <= rule.foldMin) continue;
			const later = path.slice(path.indexOf(sourceEntry) + 1);
			outputs.push({
				id: sourceEntry.id,
				turnsBack: later.filter((entry) => isMessage(entry, "user")).length,
				age: later.filter((entry) => isMessage(entry, "assistant")).length,
				estimated: estimate(units),
				readAgain: !message.isError && canReadAgain(call),
			});
		}
	}
	return outputs;
}

function callsOf(message: { content: unknown; stopReason?: string }): Call[] {
	if (message.stopReason === "error" || message.stopReason === "aborted" || !Array.isArray(message.content)) return [];
	return message.content.filter((block) => block.type === "toolCall");
}

function isMessage(entry: SessionEntry, role: string): boolean {
	return entry.type === "message" && entry.message.role === role;
}

/** Length of an output of text only. */
function textUnits({ content }: Result): number | undefined {
	if (typeof content === "string") return (content as string).length;
	if (!Array.isArray(content) || content.some((block) => block.type !== "text")) return undefined;
	return content.reduce((sum, block) => sum + (block.type === "text" ? block.text.length : 0), 0);
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
