/**
 * A clock that tests move. Minutes cannot be waited for, so the offset stands in a small file that Pi's process reads
 * through `clock-preload.ts`, and the scripted server asks the same clock. Timers are not moved, unless that is asked for: what
 * Pi has planned by `setTimeout` comes late, as after a machine's sleep.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";

/** Name of the variable that holds the path of the offset's file. */
export const CLOCK_FILE = "SHIFTED_CLOCK_FILE";
/** Name of the variable that has Pi's timers of more than a few seconds moved, too. */
export const MOVED_TIMERS = "SHIFTED_CLOCK_TIMERS";
/** Milliseconds for which the preload keeps what it read. */
export const CLOCK_STALE_MS = 2;

export class Clock {
	readonly file: string;

	constructor(file: string) {
		this.file = file;
		writeFileSync(file, "0");
	}

	get offset(): number {
		return Number(readFileSync(this.file, "utf8"));
	}

	now(): number {
		return Date.now() + this.offset;
	}

	async advance(milliseconds: number): Promise<void> {
		writeFileSync(this.file, String(this.offset + milliseconds));
		await wait(CLOCK_STALE_MS * 5);
	}
}
