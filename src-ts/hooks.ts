/**
 * Every handler that Pi calls, wrapped once: whatever it throws, Pi goes on as if it had not been there.
 */

import type { CompactResult, TreeResult } from "./compaction.ts";
import type {
	AgentBeforeSettleEvent,
	AgentEndEvent,
	AgentSettledEvent,
	BeforeAgentStartEvent,
	BeforeProviderRequestEvent,
	BoundaryResult,
	CacheWarmingDecisionEvent,
	CacheWarmingDecisionEventResult,
	ContextEventResult,
	ContextWithSystemEvent,
	ExtensionAPI,
	ExtensionContext,
	InputEvent,
	MessageEndEvent,
	ModelSelectEvent,
	SessionBeforeCompactEvent,
	SessionBeforeTreeEvent,
	SessionCompactEvent,
	SessionShutdownEvent,
	SessionStartEvent,
	SessionTreeEvent,
	ThinkingLevelSelectEvent,
	TurnEndEvent,
} from "./host.ts";

/** The events that pi-zip listens to: what comes in, and what goes back. */
export interface Events {
	session_start: [SessionStartEvent, void];
	session_shutdown: [SessionShutdownEvent, void];
	session_tree: [SessionTreeEvent, void];
	session_before_compact: [SessionBeforeCompactEvent, CompactResult | undefined];
	session_compact: [SessionCompactEvent, void];
	session_before_tree: [SessionBeforeTreeEvent, TreeResult | undefined];
	model_select: [ModelSelectEvent, void];
	thinking_level_select: [ThinkingLevelSelectEvent, void];
	input: [InputEvent, void];
	before_agent_start: [BeforeAgentStartEvent, void];
	context_with_system: [ContextWithSystemEvent, ContextEventResult | undefined];
	before_provider_request: [BeforeProviderRequestEvent, unknown];
	message_end: [MessageEndEvent, void];
	turn_end: [TurnEndEvent, BoundaryResult | undefined];
	agent_end: [AgentEndEvent, void];
	agent_before_settle: [AgentBeforeSettleEvent, BoundaryResult | undefined];
	agent_settled: [AgentSettledEvent, void];
	cache_warming_decision: [CacheWarmingDecisionEvent, CacheWarmingDecisionEventResult | undefined];
}

type Handler<Name extends keyof Events> = (
	event: Events[Name][0],
	ctx: ExtensionContext,
) => Events[Name][1] | Promise<Events[Name][1]>;
type Register = (name: string, handler: (event: never, ctx: ExtensionContext) => unknown) => () => void;
type Failed = (hook: keyof Events, error: unknown, ctx: ExtensionContext) => void;

export class Hooks {
	readonly #on: Register;
	readonly #failed: Failed;

	constructor(pi: ExtensionAPI, failed: Failed) {
		// Pi overloads `on` by event name; `Events` holds the same types in one table.
		this.#on = pi.on.bind(pi) as Register;
		this.#failed = failed;
	}

	/** Registers a handler; the function that comes back takes it away again. */
	on<Name extends keyof Events>(name: Name, handler: Handler<Name>): () => void {
		return this.#on(name, (event: Events[Name][0], ctx) => {
			const fail = (error: unknown) => {
				try {
					this.#failed(name, error, ctx);
				} catch {
					// A context whose session was replaced throws at each touch; then there is nobody to tell.
				}
				return undefined;
			};
			try {
				const result = handler(event, ctx);
				return result instanceof Promise ? result.catch(fail) : result;
			} catch (error) {
				return fail(error);
			}
		});
	}
}
