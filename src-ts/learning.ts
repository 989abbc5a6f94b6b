/**
 * What a session learns of its model's cache: each return is looked at once its answer is on the branch, and what it
 * shows goes where all sessions find it.
 *
 * What counts as evidence is the core's rule, what is kept of it stands in `survival.ts`.
 */

import { setTimeout as wait } from "node:timers/promises";
import type { WireSituation } from "./asked.ts";
import type { Engine } from "./core.ts";
import type { AssistantMessage, ExtensionContext } from "./host.ts";
import { Returns, SHORTEST_GAP } from "./returns.ts";
import type { Stretches, Survivals } from "./survival.ts";

/** How often a session that ends looks whether another process has let go of the file, and after how long, in ms. */
const LAST_TRIES = 20;
const BETWEEN_TRIES = 25;

/** Milliseconds without an answer after which the end of a session is an absence that did not end. */
const LEFT_FOR_GOOD = 300_000;

export class Learning {
	readonly returns = new Returns();
	readonly #survivals: Survivals;
	/** Requests since the cache was last lost. */
	#stretch = 0;
	/** Those of the session's stretches that have ended. The branch tells this session of them; others, once it is over. */
	readonly #ended: number[] = [];

	constructor(survivals: Survivals) {
		this.#survivals = survivals;
	}

	/** What is known of a model's cache, as a part of the situation. */
	of(model: { provider: string; model: string } | undefined): Partial<WireSituation> {
		const stretches = [...this.stretches];
		if (!model) return { stretches };
		const tier = (tier: "short" | "long") => this.#survivals.of({ ...model, tier });
		return { learnedShort: tier("short"), learnedLong: tier("long"), stretches };
	}

	/** A request was answered at `now`. */
	answered(message: AssistantMessage, now: number): void {
		this.#stretch += 1;
		this.returns.answered(message, now);
	}

	/** A request goes out that nobody has looked at: how long this stretch is will not be known. */
	dropStretch(): void {
		this.#stretch = Number.NaN;
	}

	/** The cache was lost, or the session is over. */
	endStretch(): void {
		if (this.#stretch > 0) this.#ended.push(this.#stretch);
		this.#stretch = 0;
	}

	/** Warm stretches of this user's sessions. */
	get stretches(): Stretches {
		return this.#survivals.stretches;
	}

	/** How often the user came back to a session, by bin. */
	get userReturns(): readonly number[] {
		return this.#survivals.returns;
	}

	/** The user has come back; `away` is since the last answer, in milliseconds. */
	cameBack(away: number): void {
		if (away >= SHORTEST_GAP) this.#survivals.recordReturn(away);
	}

	/** Takes in what other sessions have learned. */
	refresh(): void {
		this.#survivals.write();
		this.#survivals.refresh();
	}

	/** Looks at the answers that have come since. Call it when they are on the branch. */
	learn(engine: Engine, session: ExtensionContext["sessionManager"], situation: () => WireSituation): void {
		if (!this.returns.some) return;
		const returns = this.returns.take();
		const asked = situation();
		const seen = engine.with(session, (core, feed) =>
			returns.map((one) => ({ one, evidence: core.evidence(asked, one, feed.position(one.edited)) })),
		);
		for (const { one, evidence } of seen) {
			const { provider, model } = one;
			if (evidence) this.#survivals.record({ provider, model, tier: evidence.tier }, evidence.observation);
		}
	}

	/**
	 * The session is over, `away` milliseconds after the last answer. What another process has kept from being written is
	 * written now, or soon.
	 */
	async close(away = 0): Promise<void> {
		for (const requests of this.#ended) this.#survivals.recordStretch(requests);
		if (away >= LEFT_FOR_GOOD) this.#survivals.recordReturn(Number.POSITIVE_INFINITY);
		this.#survivals.write();
		for (let tries = 0; this.#survivals.unwritten && tries < LAST_TRIES; tries += 1) {
			await wait(BETWEEN_TRIES);
			this.#survivals.write();
		}
	}
}
