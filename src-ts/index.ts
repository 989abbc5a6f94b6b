/**
 * The extension: one function that Pi calls for each session. Wires Pi's events to the parts and holds no rule.
 */

import { Boundaries } from "./boundaries.ts";
import { zipCommand } from "./command.ts";
import { findOrphans, handleOf, learner, Pattern, recallPage } from "./core.ts";
import { exportSession } from "./export.ts";
import { Failures } from "./failures.ts";
import { Disk } from "./files.ts";
import { Restore } from "./folds/restore.ts";
import { Folds } from "./folds.ts";
import { Hooks } from "./hooks.ts";
import { type ContextEventResult, type ExtensionAPI, type ExtensionContext, type Host, unsupported } from "./host.ts";
import { Idle } from "./idle.ts";
import { Notices } from "./notices.ts";
import { Breakpoints } from "./payload/breakpoint.ts";
import { repairPayload } from "./payload.ts";
import { projector } from "./projection.ts";
import { Originals } from "./recall/originals.ts";
import { type Asking, askReader } from "./recall/question.ts";
import { recallTool } from "./recall.ts";
import { Replays } from "./replay.ts";
import { Runs } from "./run.ts";
import { Indexing } from "./search/indexing.ts";
import { Past, SESSION_MARK } from "./search/past.ts";
import { searchTool } from "./search.ts";
import { SessionCore } from "./session-core.ts";
import { settingsDialog } from "./settings/dialog.ts";
import { SettingsStore } from "./settings/store.ts";
import { readSettings, settingsLines } from "./settings.ts";
import { SETTINGS_FILE } from "./settings-file.ts";
import { inputPrice } from "./situation.ts";
import { keepChoice, readChoice } from "./state.ts";
import { Summarising } from "./summarising.ts";
import { LEARNED_FILE, Survivals } from "./survival.ts";

export default function piZip(pi: ExtensionAPI, host: Host): void {
	const environment = readSettings();
	if (environment.off) return;
	const reason = unsupported(host, pi);
	if (reason) {
		console.error(reason);
		return;
	}

	let choice = { enabled: true, quiet: false };
	const disk = new Disk(environment.testRoot);
	const store = new SettingsStore(disk, host);
	const { settings } = store;
	const notices = new Notices(pi, host);
	const originals = new Originals(handleOf);
	const learned = () => (settings.cacheStats ? [settings.cacheStats] : [host.pi.getAgentDir(), ...LEARNED_FILE]);
	const survivals = new Survivals(disk.sharedFile(learned), learner);
	const core = new SessionCore({ pi, settings, survivals });
	const isOn = () => choice.enabled && !core.isSwitchedOff;
	const runs = new Runs({ pi, settings, disk, notices, core, project: projector(host) });
	const replays = new Replays(host);
	const indexing = new Indexing();
	const idle = new Idle<ExtensionContext["sessionManager"]>([
		(session, until) => choice.enabled && core.complete(session, until),
		(session, until) => indexing.work(session, until),
	]);
	const past = new Past(() => settings.redact);
	const breakpoints = new Breakpoints();
	const restore = new Restore();
	const folds = new Folds({
		pi,
		host,
		handleOf: (entryId) => originals.handleOf(entryId),
		status: (ctx) => core.status(ctx),
		readUpTo: (changed, ctx) => core.readUpTo(changed, ctx),
		changed: () => restore.look(),
		refused: () => (choice.enabled ? runs.paused : "pi-zip is off, `/zip on` comes first"),
	});
	const failures = new Failures(core, notices);
	const hooks = new Hooks(pi, (hook, error, ctx) => {
		runs.fail();
		failures.tell(hook, error, ctx);
	});
	const summarising: Summarising = new Summarising({
		pi,
		host,
		settings,
		core,
		runs,
		notices,
		isOn,
		drafts: (ctx) => boundaries.edits([], ctx) ?? [],
		persist: (then) => boundaries.persistAt("turn_end", then),
		recover: (goOn) => boundaries.persistAt("agent_before_settle", { fold: true, goOn }),
	});
	const boundaries = new Boundaries({ hooks, runs, restore, summarising });
	const asking: Asking = {
		chain: summarising.chain,
		pager: recallPage,
		redacts: () => settings.redact,
		// A reader's requests pass no hook, so where somebody takes something out of requests it must not get it.
		async forbids(ctx) {
			if (!choice.enabled) return "pi-zip is off";
			const isOwn = runs.paused === undefined && (await summarising.isPisOwn(ctx));
			if (isOwn === true) return undefined;
			return "what another extension keeps out of requests cannot be told";
		},
	};

	hooks.on("session_start", (_event, ctx) => {
		choice = readChoice(ctx.sessionManager, settings.quiet);
		notices.quiet = choice.quiet;
		for (const fault of store.faults) notices.sayOnce(`pi-zip · ${SETTINGS_FILE}: ${fault}`, ctx);
	});
	hooks.on("session_shutdown", (event) => {
		boundaries.forget();
		summarising.close();
		stopListening?.();
		replays.close();
		past.close();
		idle.close();
		indexing.close();
		return core.close(event.reason === "reload");
	});
	hooks.on("session_tree", () => {
		boundaries.forget();
		runs.leaveBranch();
		restore.look();
		summarising.drop();
	});
	hooks.on("before_agent_start", (_event, ctx) => {
		summarising.started();
		idle.rest();
		return runs.start(ctx);
	});
	// A handler of its own: whatever becomes of it, the view of the next one must not suffer.
	hooks.on("context_with_system", (_event, ctx) => {
		summarising.expect();
		runs.keepSteering(ctx);
		return undefined;
	});
	hooks.on("context_with_system", (event, ctx) => {
		const carry = (result: ContextEventResult | undefined) => {
			if (runs.unpersisted) boundaries.persistAt("turn_end");
			return result;
		};
		const result = runs.request(event, ctx, choice.enabled);
		return result instanceof Promise ? result.then(carry) : carry(result);
	});
	// A handler of its own, behind the other: what was unfolded shows whatever becomes of a plan.
	hooks.on("context_with_system", (event, ctx) => {
		const messages = restore.apply(event.messages, ctx.sessionManager);
		if (restore.unpersisted(ctx.sessionManager)) boundaries.persistAt("turn_end");
		return messages && { messages };
	});
	hooks.on("before_provider_request", (event) => (isOn() ? repairPayload(event.payload, findOrphans) : undefined));
	hooks.on("before_provider_request", (event, ctx) => summarising.request(event.payload, ctx));
	// A handler of its own, behind the others: it marks what they send, and takes nothing of it back if it fails.
	hooks.on("before_provider_request", (event) => (isOn() ? breakpoints.place(event.payload) : undefined));
	hooks.on("before_provider_request", (event, ctx) => {
		summarising.keep(event.payload, ctx);
		return undefined;
	});
	hooks.on("message_end", ({ message }, ctx) => {
		if (message.role !== "assistant") return;
		if (message.stopReason !== "error") core.answered(message, ctx);
		breakpoints.answered(message.usage);
	});
	summarising.listen(hooks);
	hooks.on("agent_end", (_event, ctx) => {
		runs.look(ctx);
		if (boundaries.isUnpersisted(ctx)) boundaries.persistAt("agent_before_settle");
	});
	hooks.on("agent_settled", (_event, ctx) => {
		boundaries.forget();
		runs.settle();
		// Whoever prints an answer and ends is waited for by nobody.
		if (ctx.hasUI) idle.begin(ctx.sessionManager);
		summarising.rested(ctx);
	});
	hooks.on("cache_warming_decision", (event, ctx) =>
		choice.enabled && settings.warming === "decide" ? runs.warming(event, ctx) : undefined,
	);

	// Sent by extensions that know that what a provider keeps no longer holds.
	const stopListening = pi.events?.on("pi-provider-compaction:invalidate", () => {
		summarising.drop();
	});

	pi.registerTool(
		recallTool({
			host,
			find: (handle, { sessionManager }, signal) =>
				handle.includes(SESSION_MARK)
					? past.recall(handle, sessionManager, signal)
					: originals.find(sessionManager, handle),
			pager: recallPage,
			ask: (request, find, ctx, signal) => askReader(request, find, asking, ctx, signal),
		}),
	);
	pi.registerTool(
		searchTool({
			host,
			handleOf: (entryId) => originals.handleOf(entryId),
			pattern: (pattern, caseSensitive) => new Pattern(pattern, caseSensitive),
			isCarried: (entryId) => runs.carries(entryId),
			price: inputPrice,
			past,
			words: () => indexing.index,
		}),
	);
	pi.registerCommand(
		"zip",
		zipCommand({
			get choice() {
				return choice;
			},
			get paused() {
				return runs.paused;
			},
			status(ctx) {
				// Before a first prompt nothing of it is known.
				core.refresh();
				return core.status(ctx);
			},
			survival: (ctx) => core.survival(ctx),
			get stretches() {
				return core.stretches;
			},
			more: (ctx) => [...summarising.lines(ctx), ...settingsLines(settings, store.faults, core.target(ctx))],
			choose(next) {
				choice = next;
				if (!next.enabled) summarising.drop();
				notices.quiet = next.quiet;
				keepChoice(pi, next);
			},
			export: (ctx) =>
				exportSession(
					ctx,
					disk,
					(entryId) => originals.handleOf(entryId),
					(entryId) => runs.carries(entryId),
				),
			folds: (ctx) => folds.browse(ctx),
			unfoldAll: (ctx) => folds.unfoldAll(ctx),
			foldNow: (ctx) => folds.foldNow(ctx),
			async settings(ctx) {
				const said = await settingsDialog(store, host, ctx);
				choice = readChoice(ctx.sessionManager, settings.quiet);
				notices.quiet = choice.quiet;
				return said;
			},
			report: (ctx) => replays.report(ctx),
			bill: (ctx) => replays.bill(ctx),
		}),
	);
}
