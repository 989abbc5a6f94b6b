/**
 * Which user messages were typed during a run: steering and follow-ups, which belong to the turn they came in.
 *
 * Only the process that saw the run knows: of the user messages since it began, all but the first. They are written down
 * in the session, so that turns are counted alike after a restart.
 */

import { newEntries, type ReadonlySession } from "./host.ts";

/** Custom type of the entries that keep them. */
export const STEERING_ENTRY = "pi-zip.steering";

export class Steering {
	/** The newest entry that was looked at; undefined while no run is going on. */
	#seen: string | null | undefined;
	#hasPrompt = false;

	/** A run begins; its prompt is not in the session yet. */
	start(session: ReadonlySession): void {
		this.#seen = session.getLeafId();
		this.#hasPrompt = false;
	}

	stop(): void {
		this.#seen = undefined;
	}

	/** Ids of the messages typed during the run that are new since the last call. */
	take(session: ReadonlySession): string[] {
		const seen = this.#seen;
		if (seen === undefined) return [];
		const { fresh } = newEntries(session, (id) => id === seen);
		this.#seen = session.getLeafId();
		const typed = fresh.filter((entry) => entry.type === "message" && entry.message.role === "user");
		const steering = this.#hasPrompt ? typed : typed.slice(1);
		this.#hasPrompt ||= typed.length > 0;
		return steering.map(({ id }) => id);
	}
}
