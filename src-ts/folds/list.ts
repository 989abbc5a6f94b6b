/**
 * What `/zip folds` lists: what stands folded in view, what is pinned, and the large outputs that are neither, each with its
 * size, age and reason.
 */

import { lengthOf, sizeOf } from "../content.ts";
import { count, tokens } from "../format.ts";
import { CHARACTERS_A_TOKEN, type ExtensionContext, type SessionEntry } from "../host.ts";
import { type SessionReader, subjectOf } from "../recall/originals.ts";
import { oneLine } from "../recall/request.ts";
import type { Kept } from "./kept.ts";
import { standingsOf } from "./standing.ts";

type Session = ExtensionContext["sessionManager"];

export interface Item {
	readonly entry: SessionEntry;
	readonly handle: string;
	readonly state: "folded" | "pinned" | "in view";
	/** Pinned, and may be folded again if the user lets go of it. */
	readonly canRelease: boolean;
	/** Index of its plan; -1 where it is not folded. */
	readonly plan: number;
	/** Real tokens of the original, estimated. */
	readonly tokens: number;
	/** As it stands in the list, and as what is typed is compared with. */
	readonly label: string;
}

/** Units of what an output is of. */
const SUBJECT_UNITS = 70;
/** Outputs in view below this many tokens are not worth a line. */
const LEAST_LISTED = 500;
const MOST_IN_VIEW = 200;

/** `factor` is real tokens over estimated ones. */
export function itemsOf(session: Session, factor: number, handleOf: (id: string) => string): Item[] {
	const standings = standingsOf(session);
	const undone = new Set([...standings.undone.values()].map(({ id }) => id));
	const folded: Item[] = [];
	const pinned: Item[] = [];
	const inView: Item[] = [];
	const projected = session.buildSessionProjection().entries;
	const ages = agesOf(projected.map(({ sourceEntry }) => sourceEntry));
	for (const [index, { sourceEntry: entry, messages }] of projected.entries()) {
		if (entry.type !== "message" || entry.message.role !== "toolResult" || messages.length === 0) continue;
		const fold = standings.folds.get(entry.id);
		const isPinned = standings.kept.has(entry.id);
		const isWaiting = undone.has(entry.id);
		const size = Math.round((lengthOf(entry.message.content) / CHARACTERS_A_TOKEN) * factor);
		if (!fold && !isPinned && (size < LEAST_LISTED || isWaiting)) continue;
		const age = count(ages[index] ?? 0, "request");
		const what = oneLine(`${entry.message.toolName} ${subjectOf(session as SessionReader, entry)}`, SUBJECT_UNITS);
		const why = fold?.reason ? ` · ${oneLine(fold.reason, SUBJECT_UNITS)}` : "";
		const waits = isWaiting ? ", unfolded with the next request" : "";
		const handle = handleOf(entry.id);
		const state = fold ? "folded" : isPinned ? "pinned" : "in view";
		// A narrow terminal cuts the end off.
		const label = `${tokens(size).padStart(5)} ${state} · ${what} · ${age} ago${fold ? why : isPinned ? waits : ""} · ${handle}`;
		// What stands otherwise in view is another extension's, and not ours to fold.
		const canRelease = isPinned && !isWaiting && isOriginal(entry.message, messages[0]);
		const item = { entry, handle, state, canRelease, plan: fold?.plan ?? -1, tokens: size, label } as const;
		(fold ? folded : isPinned ? pinned : inView).push(item);
	}
	inView.sort((one, other) => other.tokens - one.tokens);
	return [...folded.reverse(), ...pinned.reverse(), ...inView.slice(0, MOST_IN_VIEW)];
}

/** For each entry the number of requests answered after it. */
function agesOf(entries: readonly SessionEntry[]): number[] {
	const ages = new Array<number>(entries.length).fill(0);
	let age = 0;
	for (let index = entries.length - 1; index >= 0; index -= 1) {
		const entry = entries[index]!;
		ages[index] = age;
		age += entry.type === "message" && entry.message.role === "assistant" ? 1 : 0;
	}
	return ages;
}

function isOriginal(own: { content: unknown }, shown: object | undefined): boolean {
	const [one, other] = [sizeOf(own.content), sizeOf((shown as { content?: unknown } | undefined)?.content)];
	return one.units === other.units && one.images === other.images;
}

/** What is written down of an entry that is kept from being folded, or no longer. */
export function keptOf(entry: SessionEntry, released = false): Kept {
	const content = entry.type === "message" && "content" in entry.message ? entry.message.content : "";
	return { target: entry.id, released, ...sizeOf(content) };
}
