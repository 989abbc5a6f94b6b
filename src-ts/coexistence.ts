/**
 * Whether another context manager works on the same view, in which case folding pauses.
 *
 * It is noticed by what it does, on the first request of a run: tool results or answers of Pi's projection that do not
 * reach us as they are. Known ones are noticed by their tools and commands at once. Folding goes on once the view was
 * Pi's own for a whole run.
 */

import type { ExtensionAPI } from "./host.ts";
import type { ForeignChange } from "./view.ts";

/** Packages that rewrite the view, by a part of the path that their tools and commands are loaded from. */
const KNOWN = ["billion-context", "magic-context", "pi-smart-compact", "pi-hot-compact", "pi-context-prune"];

type Sources = Pick<ExtensionAPI, "getAllTools" | "getCommands" | "getSettings">;

/** The known context manager that is loaded beside us, if any: by its tools, its commands or the list of packages. */
export function knownManager(pi: Sources): string | undefined {
	const infos = [...pi.getAllTools(), ...pi.getCommands()].map(({ sourceInfo }) => sourceInfo);
	// Settings are the user's file as it is: a list may be null there.
	const packages = pi.getSettings().packages ?? [];
	const installed = packages.flatMap((entry) => {
		if (typeof entry === "string") return [entry];
		// A filter may leave the package installed and load nothing of it.
		return entry.extensions?.length === 0 ? [] : [entry.source];
	});
	const names = new Set([...infos.flatMap((info) => [info?.path, info?.source]), ...installed].flatMap(packageNames));
	return KNOWN.find((name) => names.has(name));
}

/**
 * What a package may be called, by where it was loaded from: `npm:name@1.0.0`, `git:host/owner/name`, a file below
 * `node_modules/name`, or a file in its own folder. Folders further up are somebody's project.
 */
function packageNames(place: string | undefined): string[] {
	const parts = (place ?? "").replace(/^(npm|git):/, "").split(/[\\/]/);
	const inModules = parts[parts.lastIndexOf("node_modules") + 1];
	const names = [...parts.slice(-2), ...(parts.includes("node_modules") && inModules ? [inModules] : [])];
	return names.map((name) => name.replace(/(?<=.)@.*$/, "").replace(/\.(git|[cm]?[jt]s)$/, ""));
}

export class Coexistence {
	#reason: string | undefined;
	/** The present run has shown no change so far. */
	#clean = true;

	/** Why folding is paused, in plain words; undefined where it is not. */
	get reason(): string | undefined {
		return this.#reason;
	}

	/** A change seen later in a run: the pause goes on. */
	see(change: ForeignChange | undefined): void {
		if (change) this.#clean = false;
	}

	/**
	 * Judges the first request of a run. Returns whether folding may go on in this run, and a notice where the state
	 * changed.
	 */
	judge(known: string | undefined, change: ForeignChange | undefined): { fold: boolean; notice?: string } {
		const reason = known ? `${known} is loaded` : change && describe(change);
		if (reason) {
			const changed = this.#reason !== reason;
			this.#reason = reason;
			this.#clean = false;
			return changed ? { fold: false, notice: pauseNotice(reason) } : { fold: false };
		}
		// One clean run ends the pause; folding starts with the next.
		if (!this.#clean) {
			this.#clean = true;
			return { fold: false };
		}
		if (this.#reason === undefined) return { fold: true };
		this.#reason = undefined;
		return { fold: true, notice: "pi-zip · folding again: the view is Pi's own" };
	}
}

function describe(change: ForeignChange): string {
	const what = change.role === "toolResult" ? "a tool result" : "an answer";
	return `another extension changes the view (${what} is ${change.kind}, entry ${change.entryId})`;
}

function pauseNotice(reason: string): string {
	return `pi-zip · folding paused: ${reason}. Nothing is lost; recall and the request guard stay on.`;
}
