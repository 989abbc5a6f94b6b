/** Loaded into Pi by `node --import`: shifts `Date.now()` and `new Date()` by the offset in the clock's file. */
import { readFileSync } from "node:fs";
import { CLOCK_FILE, CLOCK_STALE_MS } from "./clock.ts";

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
}
