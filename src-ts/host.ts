/**
 * What pi-zip takes from Pi: its types, and the facts of a moment read off its context.
 *
 * Every other file gets Pi's types from here. Values (`host`) are handed in by the entry, because the bundle cannot
 * import Pi itself.
 */

import type * as PiModule from "@earendil-works/pi-coding-agent";
import type {
	ContextWithSystemEvent,
	ExtensionAPI,
	ExtensionContext,
	SessionEntry,
} from "@earendil-works/pi-coding-agent";
import type * as TuiModule from "@earendil-works/pi-tui";

export type {
	AgentBeforeSettleEvent,
	AgentEndEvent,
	AgentSettledEvent,
	BeforeAgentStartEvent,
	BeforeProviderRequestEvent,
	BoundaryResult,
	CacheWarmingDecisionEvent,
	CacheWarmingDecisionEventResult,
	CompactionEntry,
	CompactionEntryDraft,
	ContextEditEntryDraft,
	ContextEventResult,
	ContextWithSystemEvent,
	EntryRenderOptions,
	ExtensionAPI,
	ExtensionCommandContext,
	ExtensionContext,
	InputEvent,
	MessageEndEvent,
	ModelSelectEvent,
	SessionBeforeCompactEvent,
	SessionBeforeTreeEvent,
	SessionBoundaryDraft,
	SessionCompactEvent,
	SessionEntry,
	SessionProjection,
	SessionShutdownEvent,
	SessionStartEvent,
	SessionTreeEvent,
	Theme,
	ThinkingLevelSelectEvent,
	ToolDefinition,
	TurnEndEvent,
} from "@earendil-works/pi-coding-agent";
export type { Component } from "@earendil-works/pi-tui";

/** A message of a request, as Pi hands it to `context_with_system`. */
export type Message = ContextWithSystemEvent["messages"][number];
export type AssistantMessage = Extract<Message, { role: "assistant" }>;
export type ToolResultMessage = Extract<Message, { role: "toolResult" }>;

export type Usage = AssistantMessage["usage"];
export type ThinkingLevel = ExtensionContext["thinkingLevel"];

/** Pi's modules, as the entry imported them. */
export interface Host {
	readonly pi: typeof PiModule;
	readonly tui: typeof TuiModule;
}

/** The Pi that first had every hook in use here; older ones are told so and left alone. */
const OLDEST_PI = [0, 87, 0];

const REGISTRATIONS = ["registerEntryRenderer", "registerTool", "registerCommand", "getActiveTools"] as const;

/** Why this Pi cannot run the extension, in one line; undefined where it can. */
export function unsupported(host: Host, pi: ExtensionAPI): string | undefined {
	const version = host.pi.VERSION ?? "unknown";
	const parts = version.split(/[.-]/).map(Number);
	const known = parts.length >= 3 && parts.slice(0, 3).every(Number.isFinite);
	const older = known && compare(parts, OLDEST_PI) < 0;
	const missing =
		typeof host.pi.buildSessionProjection !== "function" ||
		typeof host.tui?.truncateToWidth !== "function" ||
		typeof host.tui.replaceControlCharacters !== "function" ||
		REGISTRATIONS.some((name) => typeof pi[name] !== "function");
	if (!older && !missing) return undefined;
	return `pi-zip needs Pi ${OLDEST_PI.join(".")} or newer (this is ${version}); it stays out of the way.`;
}

function compare(a: readonly number[], b: readonly number[]): number {
	for (const [index, part] of b.entries()) {
		const difference = (a[index] ?? 0) - part;
		if (difference !== 0) return difference;
	}
	return 0;
}

/** API id of Pi's virtual models: the model that answers is known only afterwards. */
const VIRTUAL_MODEL_API = "pi-virtual";
/** What the core can hold; no window comes near it. */
const LARGEST_TRIGGER = 0xffff_ffff;
/** Pi's default for `compaction.reserveTokens`; `getSettings()` returns settings without defaults. */
const DEFAULT_RESERVE_TOKENS = 16_384;
/** The same for `compaction.keepRecentTokens`. */
const DEFAULT_KEEP_TOKENS = 20_000;

export type Model = NonNullable<ExtensionContext["model"]>;

/** The physical model behind the selected one: for a virtual model the one that answered last, as Pi itself takes it. */
export function physicalModel(ctx: ExtensionContext): Model | undefined {
	if (ctx.model?.api !== VIRTUAL_MODEL_API) return ctx.model;
	for (const entry of ancestry(ctx.sessionManager)) {
		if (entry.type !== "message" || entry.message.role !== "assistant") continue;
		const answered = ctx.modelRegistry.find(entry.message.provider, entry.message.model);
		if (answered && answered.api !== VIRTUAL_MODEL_API) return answered;
	}
	return undefined;
}

/** UTF-16 units to a token of Pi's estimate, with which it decides whether to compact. */
export const CHARACTERS_A_TOKEN = 4;
/** What that estimate takes an image for. */
export const IMAGE_CHARACTERS = 4_800;

type Settings = ReturnType<PiModule.ExtensionAPI["getSettings"]>;

/** Real tokens at which Pi compacts by itself, undefined where it does not or no window is known, and what it keeps. */
export function compactionOf(
	settings: Settings,
	model: Model | undefined,
): { trigger: number | undefined; keep: number | undefined } {
	const none = { trigger: undefined, keep: undefined };
	if (!model || !(model.contextWindow > 0)) return none;
	const compaction = {
		...settings.compaction,
		...settings.compaction?.modelOverrides?.[`${model.provider}/${model.id}`],
	};
	if (compaction.enabled === false) return none;
	const trigger = Math.floor(model.contextWindow - (compaction.reserveTokens ?? DEFAULT_RESERVE_TOKENS));
	const keep = Math.floor(compaction.keepRecentTokens ?? DEFAULT_KEEP_TOKENS);
	if (!(trigger > 0)) return none;
	return { trigger: Math.min(trigger, LARGEST_TRIGGER), keep: Math.min(Math.max(keep, 0), LARGEST_TRIGGER) };
}

/** Tokens of the newest messages that a compaction keeps, whether or not Pi compacts by itself. */
export function keptTokens({ compaction }: Settings, model: Model | undefined): number {
	const own = model && compaction?.modelOverrides?.[`${model.provider}/${model.id}`];
	return own?.keepRecentTokens ?? compaction?.keepRecentTokens ?? DEFAULT_KEEP_TOKENS;
}

export type ReadonlySession = Pick<ExtensionContext["sessionManager"], "getLeafEntry" | "getLeafId" | "getEntry">;

/** The entries of the branch, newest first. */
export function* ancestry(session: ReadonlySession): Generator<SessionEntry, void> {
	for (let entry = session.getLeafEntry(); entry; ) {
		yield entry;
		entry = entry.parentId ? session.getEntry(entry.parentId) : undefined;
	}
}

/** Walks back from the leaf: the entries that are not known yet, oldest first, and the newest known ancestor. */
export function newEntries(
	session: ReadonlySession,
	isKnown: (id: string) => boolean,
): { fresh: SessionEntry[]; ancestor: string | undefined } {
	const fresh: SessionEntry[] = [];
	for (const entry of ancestry(session)) {
		if (isKnown(entry.id)) return { fresh: fresh.reverse(), ancestor: entry.id };
		fresh.push(entry);
	}
	return { fresh: fresh.reverse(), ancestor: undefined };
}
