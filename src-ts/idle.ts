/**
 * Works while nothing else is to be done: in short slices with pauses between them. Ends with the session, keeps no process
 * alive, and starts nothing where nobody waits at a keyboard.
 */

import { later, type Timer } from "./timer.ts";

/** Milliseconds of work, and of pause behind it. */
const SLICE = 8;
const PAUSE = 24;

/** One slice of a job, which ends soon after `until` by `performance.now()`; whether there is more to do. */
export type Job<Session> = (session: Session, until: number) => boolean;

export class Idle<Session> {
	/** Those that have not failed. */
	#jobs: Job<Session>[];
	#timer: Timer | undefined;

	constructor(jobs: readonly Job<Session>[]) {
		this.#jobs = [...jobs];
	}

	/** The session is idle: goes on with what is new, one job after the other. */
	begin(session: Session): void {
		this.rest();
		this.#goOn(session, 0);
	}

	/** Somebody works: what is not done waits. */
	rest(): void {
		clearTimeout(this.#timer);
		this.#timer = undefined;
	}

	/** The session is over. */
	close(): void {
		this.rest();
		this.#jobs = [];
	}

	#goOn(session: Session, at: number): void {
		const job = this.#jobs[at];
		if (job === undefined) return;
		this.#timer = later(PAUSE, () => {
			this.#timer = undefined;
			let isMore = false;
			try {
				isMore = job(session, performance.now() + SLICE);
			} catch {
				// A session that is gone, or a core that failed: what the job was for is done when it is needed.
				this.#jobs.splice(at, 1);
				return this.#goOn(session, at);
			}
			this.#goOn(session, isMore ? at : at + 1);
		});
	}
}
