/** Summaries by the session's own request, as the scripted model sees them: an instruction behind the conversation. */
import type { Stage } from "../host/stage.ts";
import type { Answer, Script } from "../server/script.ts";
import type { Recorded } from "../server/server.ts";

/** What is asked of the model behind the session's own request. */
export const INSTRUCTION = "Sum up the work above";
export const TOLD = "### Decisions and why\nThe parser stays as it is.";

/** The script, and what is answered to summaries by the cache, the last again and again. */
export function summing(script: Script, answers: Answer[] = [{ text: TOLD }]): Script {
	let asked = -1;
	return (prompt) => {
		if (!prompt.messages.at(-1)?.text.includes(INSTRUCTION)) return script(prompt);
		asked += 1;
		return answers[Math.min(asked, answers.length - 1)]!;
	};
}

export function byCache(stage: Stage): Recorded[] {
	return stage.server.main.filter(({ blocks }) => blocks.slice(-2).some(({ text }) => text.includes(INSTRUCTION)));
}
