/**
 * The answer of a model that is asked beside the session's own requests, whatever its provider does: one that does not heed
 * the signal is not waited for, and one that answers nothing has answered without content.
 */

import type { AssistantMessage } from "./host.ts";

/** Milliseconds in which a provider that was told to stop may say what its answer has cost. */
const GRACE = 2_000;

export async function answered(
	stream: { result(): Promise<AssistantMessage> },
	signal: AbortSignal,
	grace = GRACE,
): Promise<AssistantMessage> {
	const aborted = { role: "assistant", content: [], stopReason: "aborted" } as unknown as AssistantMessage;
	const result = stream.result();
	// It may fail long after it was given up.
	result.catch(() => {});
	let timer: NodeJS.Timeout | undefined;
	let stop = () => {};
	const stopped = new Promise<AssistantMessage>((done) => {
		stop = () => {
			timer = setTimeout(() => done(aborted), grace);
		};
		signal.addEventListener("abort", stop, { once: true });
		if (signal.aborted) stop();
	});
	try {
		const answer = await Promise.race([result, stopped]);
		return Array.isArray(answer.content) ? answer : { ...answer, content: [] };
	} finally {
		clearTimeout(timer);
		signal.removeEventListener("abort", stop);
	}
}
