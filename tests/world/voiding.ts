/** Another extension with a draft that Pi refuses, and with it everything that the same boundary would append. */
import type { Factory } from "./pi.ts";

const INVALID = { type: "context_edit", targetId: "nowhere", replacement: null } as const;

export function voiding(): { times: number; factory: Factory } {
	const next = {
		/** Boundaries that are still to be voided. */
		times: 0,
		factory: ((api) => {
			const spoiled = <T>(entries: readonly T[]) => {
				if (next.times <= 0) return undefined;
				next.times -= 1;
				return { entries: [...entries, INVALID] };
			};
			api.on("turn_end", (event) => spoiled(event.entries));
			api.on("agent_before_settle", (event) => spoiled(event.entries));
		}) satisfies Factory,
	};
	return next;
}
