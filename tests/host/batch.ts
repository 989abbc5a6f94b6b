/** Real Pi in print or JSON mode: runs its prompts, then ends. */
import { start, within } from "./child.ts";
import type { Command } from "./launch.ts";

export interface Outcome {
	code: number | null;
	stdout: string;
	stderr: string;
}

/** Milliseconds. */
const TIMEOUT = 90_000;

export async function runToEnd(command: Command): Promise<Outcome> {
	const child = start(command);
	let stdout = "";
	child.process.stdout.setEncoding("utf8").on("data", (text: string) => {
		stdout += text;
	});
	child.process.stdin.end();
	try {
		const code = await within(child.exited, TIMEOUT, () => `Pi's end; stderr: ${child.stderr()}`);
		return { code, stdout, stderr: child.stderr() };
	} finally {
		await child.kill();
	}
}
