/**
 * The answer of a model that is asked beside the session's own requests, whatever its provider does: one that does not heed
 * the signal is not waited for, and one that answers nothing has answered without content.
 */

import type { AssistantMessage } from "./host.ts";

export async function answered(
	stream: { result(): Promise<AssistantMessage> },
	signal: AbortSignal,
): Promise<AssistantMessage> {
	const aborted = { role: "assistant", content: [], stopReason: "aborted" } as unknown as AssistantMessage;
	const result = stream.result();
	// It may fail long after it was given up.
	result.catch(() => {});
	let stop = () => {};
	const stopped = new Promise<AssistantMessage>((done) => {
		stop = () => done(aborted);
		signal.addEventListener("abort", stop, { once: true });
		if (signal.aborted) stop();
	});
	try {
		const answer = await Promise.race([result, stopped]);
		return Array.isArray(answer.content) ? answer : { ...answer, content: [] };
	} finally {
		signal.removeEventListener("abort", stop);
	}
}
