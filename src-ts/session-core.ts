/**
 * The core of one session, asked with the circumstances that are read off Pi, and with what returns have taught.
 *
 * It decides nothing, and changes no view: see `run.ts`.
 */

import type { Asked, GapBin, Status, WireSituation } from "./asked.ts";
import { Engine } from "./core.ts";
import type { Feed } from "./feed.ts";
import type {
	AssistantMessage,
	CacheWarmingDecisionEvent,
	ExtensionAPI,
	ExtensionContext,
	ReadonlySession,
} from "./host.ts";
import { Learning } from "./learning.ts";
import type { Settings } from "./settings.ts";
import { type LastRequest, selectedModel, situationOf, targetOf } from "./situation.ts";
import type { Stretches, Survivals } from "./survival.ts";

export interface Parts {
	readonly pi: ExtensionAPI;
	readonly settings: Settings;
	readonly survivals: Survivals;
}

export class SessionCore {
	readonly #parts: Parts;
	readonly #engine: Engine;
	readonly #learning: Learning;
	/** The last request of this process, and its answer. */
	#last: LastRequest | undefined;
	/** When the session's last request was answered, in milliseconds since the epoch. */
	#answered: number | undefined;

	constructor(parts: Parts) {
		this.#parts = parts;
		this.#engine = new Engine(parts.settings);
		this.#learning = new Learning(parts.survivals);
	}

	/** Too much has failed in this session: it is not asked any more. */
	get isSwitchedOff(): boolean {
		return this.#engine.isSwitchedOff;
	}

	/** Something of ours failed. */
	countFailure(): void {
		this.#engine.countFailure();
	}

	/** The session is over, or goes on in another instance of ours. */
	close(goesOn: boolean): Promise<void> {
		if (!goesOn) this.#learning.endStretch();
		this.#engine.close();
		return this.#learning.close(goesOn ? 0 : this.#answered && Date.now() - this.#answered);
	}

	/** Takes in what other sessions have learned. */
	refresh(): void {
		this.#learning.refresh();
	}

	/** A prompt was given. */
	prompted(): void {
		this.refresh();
		if (this.#answered !== undefined) this.#learning.cameBack(Date.now() - this.#answered);
	}

	/** The provider has answered a request. One that never reached it touches no cache. */
	answered(message: AssistantMessage, ctx: ExtensionContext): void {
		const now = Date.now();
		this.#answered = now;
		this.#last = { at: now, selected: selectedModel(ctx), answered: message };
		this.#learning.answered(message, now);
	}

	/** A request that is none of the session's own has read the cache of the last one, and so renewed it. */
	touched(): void {
		const at = Date.now();
		if (this.#last) this.#last = { ...this.#last, at };
		this.#learning.returns.touched(at);
	}

	/** The request in hand shows everything from this entry on otherwise than the last one did. */
	changedFrom(entryId: string | undefined): void {
		this.#learning.returns.edit(entryId);
	}

	/** The cache was lost. */
	endStretch(): void {
		this.#learning.endStretch();
	}

	/** A request goes out that nobody looks at. */
	dropStretch(): void {
		this.#learning.dropStretch();
	}

	/** Looks what the answers since have shown. */
	learn(ctx: ExtensionContext): void {
		if (!this.isSwitchedOff) this.#learning.learn(this.#engine, ctx.sessionManager, () => this.situation(ctx));
	}

	/** How often the user came back to a session, by bin of gaps; the last one counts how often not at all. */
	get userReturns(): readonly number[] {
		return this.#learning.userReturns;
	}

	/** What is known of earlier warm stretches. */
	get stretches(): Stretches {
		return this.#learning.stretches;
	}

	/** The circumstances of a request that would go out now. */
	situation(ctx: ExtensionContext): WireSituation {
		const { pi, settings } = this.#parts;
		return situationOf(pi, ctx, settings, this.#last, (model) => this.#learning.of(model));
	}

	/** Asks the core, with the session fed to it. */
	ask<T>(ctx: ExtensionContext, use: (core: Asked, feed: Feed) => T): T {
		this.#engine.target = targetOf(ctx, this.#parts.settings);
		return this.#engine.with(ctx.sessionManager, use);
	}

	/** What `/zip` shows. */
	status(ctx: ExtensionContext): Status {
		const situation = this.situation(ctx);
		return this.ask(ctx, (core) => core.status(situation));
	}

	/**
	 * Real tokens that the next request reads of the cache, if it lives, where the earliest of these entries is the first
	 * that it shows otherwise.
	 */
	readUpTo(changed: readonly string[], ctx: ExtensionContext): number {
		const situation = this.situation(ctx);
		return this.ask(ctx, (core, feed) => {
			const positions = changed.flatMap((id) => feed.position(id) ?? []);
			return positions.length > 0 ? core.readUpTo(situation, Math.min(...positions)) : 0;
		});
	}

	/** What is believed of the life of the cache in use. */
	survival(ctx: ExtensionContext): GapBin[] {
		const situation = this.situation(ctx);
		return this.ask(ctx, (core) => core.survival(situation));
	}

	/** What a cold return aims at under the model in use, in real tokens. */
	target(ctx: ExtensionContext): number {
		return this.ask(ctx, (core) => core.target);
	}

	/** Whether a refresh of the idle cache is worth its price; undefined where nothing was answered yet. */
	refreshPays(event: CacheWarmingDecisionEvent, ctx: ExtensionContext): boolean | undefined {
		if (this.#answered === undefined) return undefined;
		const absence = { away: Date.now() - this.#answered, returns: this.userReturns };
		const situation = this.situation(ctx);
		return this.ask(ctx, (core) => core.refreshPays(situation, absence, event));
	}

	/** Looks at outputs that the next summary tells of, until a time; whether there are more. */
	complete(session: ReadonlySession, until: number): boolean {
		return !this.isSwitchedOff && this.#engine.with(session, (core, feed) => core.complete(feed, until));
	}
}
