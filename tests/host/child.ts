/** Child processes that do not outlive the test: each has its own process group, which is ended by its id. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import type { Command } from "./launch.ts";

const living = new Set<number>();
process.on("exit", () => {
	for (const pid of living) endGroup(pid);
});
// A signal would end this process without that.
for (const [signal, code] of [
	["SIGINT", 130],
	["SIGTERM", 143],
] as const) {
	process.on(signal, () => process.exit(code));
}

function endGroup(pid: number): void {
	try {
		process.kill(-pid, "SIGKILL");
	} catch {
		// It is gone already.
	}
}

export interface Child {
	process: ChildProcessWithoutNullStreams;
	/** Exit code; null after a signal. */
	exited: Promise<number | null>;
	/** What it wrote to stderr so far. */
	stderr: () => string;
	kill: () => Promise<void>;
}

export function start({ file, args, cwd, env }: Command): Child {
	const child = spawn(file, args, { cwd, env, detached: true });
	const pid = child.pid;
	if (pid !== undefined) living.add(pid);
	let stderr = "";
	child.stderr.setEncoding("utf8").on("data", (text: string) => {
		stderr += text;
	});
	child.stdin.on("error", () => {
		// The process ended first; `exited` tells.
	});
	const exited = new Promise<number | null>((done, failed) => {
		child.on("error", failed);
		child.on("close", (code) => {
			if (pid !== undefined) living.delete(pid);
			done(code);
		});
	});
	const kill = async () => {
		if (pid !== undefined) endGroup(pid);
		await exited;
	};
	return { process: child, exited, stderr: () => stderr, kill };
}

/** Fails after `milliseconds` with a message that says what was waited for. */
export async function within<T>(promise: Promise<T>, milliseconds: number, what: () => string): Promise<T> {
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise<never>((_, reject) => {
		timer = setTimeout(() => reject(new Error(`timed out waiting for ${what()}`)), milliseconds);
	});
	try {
		return await Promise.race([promise, late]);
	} finally {
		clearTimeout(timer);
	}
}
