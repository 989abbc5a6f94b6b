/**
 * Loaded into Pi by `node --import`: shifts `Date.now()` and `new Date()` by the offset in the clock's file, and, where that is
 * asked for, lets long timers end when the shifted clock says so.
 */
import { readFileSync } from "node:fs";
import { CLOCK_FILE, CLOCK_STALE_MS, MOVED_TIMERS } from "./clock.ts";

/** Milliseconds: shorter timers keep real time, and how often the clock is looked at for the others. */
const LONG = 5_000;
const LOOK_EVERY = 10;

const file = process.env[CLOCK_FILE];
if (file !== undefined) {
	const RealDate = Date;
	let read = Number.NEGATIVE_INFINITY;
	let offset = 0;
	const now = (): number => {
		if (performance.now() - read > CLOCK_STALE_MS) {
			offset = Number(readFileSync(file, "utf8"));
			read = performance.now();
		}
		return RealDate.now() + offset;
	};
	globalThis.Date = new Proxy(RealDate, {
		construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
		apply: () => new RealDate(now()).toString(),
		get: (target, key, receiver) => (key === "now" ? now : Reflect.get(target, key, receiver)),
	});
	if (process.env[MOVED_TIMERS] !== undefined) moveTimers(now);
}

function moveTimers(now: () => number): void {
	const { setTimeout: set, clearTimeout: clear } = globalThis;
	const planned = new Map<NodeJS.Timeout, { due: number; run: () => void }>();
	const moved = (call: (...args: unknown[]) => void, delay = 0, ...args: unknown[]): NodeJS.Timeout => {
		const run = () => {
			planned.delete(timer);
			call(...args);
		};
		const timer = set(run, delay);
		if (delay >= LONG) planned.set(timer, { due: now() + delay, run });
		return timer;
	};
	globalThis.setTimeout = Object.assign(moved, set) as typeof setTimeout;
	globalThis.clearTimeout = (timer) => {
		planned.delete(timer as NodeJS.Timeout);
		clear(timer);
	};
	setInterval(() => {
		for (const [timer, { due, run }] of planned) {
			if (due > now()) continue;
			clear(timer);
			run();
		}
	}, LOOK_EVERY).unref();
}
