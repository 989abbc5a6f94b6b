/**
 * What the core is told of a request: calls, results and the places where the model spoke again, as numbers.
 *
 * Which results are orphans is the core's rule alone. What a family leaves out of its outline are whole windows, which
 * the rule judges independently of all others, and only those in which results have the ids of calls in the same order
 * (or, without ids, the tools): there the rule gives each result a call, as the families say.
 */

/** The core's rule: the outline in, three numbers an item; the numbers of the items that are orphans out. */
export type FindOrphans = (outline: Uint32Array) => Uint32Array;

/** For each message that holds orphans, the positions of their blocks in it. */
export type Orphans = ReadonlyMap<number, ReadonlySet<number>>;

/** One way in which providers write a conversation. */
export interface Family {
	/** `undefined` where no result of `list` can be an orphan, or something in it is not of this family. */
	outline(list: readonly unknown[]): Outline | undefined;
	/** A copy of `list` in which the orphans are text. */
	rewrite(list: readonly unknown[], orphans: Orphans): unknown[];
}

/** How the family of a conversation introduces a result that became text. */
export function labelOf(isError: boolean): string {
	return isError
		? "[error from a tool call that is no longer shown]"
		: "[result of a tool call that is no longer shown]";
}

// As in the core's `find_orphans`.
const NUMBERS_AN_ITEM = 3;
const BOUNDARY = 0;
const CALL = 1;
const RESULT = 2;
const NONE = 0;

export class Outline {
	readonly #numbers: number[] = [];
	/** Message and block of each item that is a result. */
	readonly #places = new Map<number, { message: number; block: number }>();
	readonly #keys = new Map<string, number>();

	boundary(): void {
		this.#numbers.push(BOUNDARY, NONE, NONE);
	}

	call(id: unknown, tool?: unknown): void {
		this.#numbers.push(CALL, this.#key(id), this.#key(tool));
	}

	result(message: number, block: number, id: unknown, tool?: unknown): void {
		this.#places.set(this.#numbers.length / NUMBERS_AN_ITEM, { message, block });
		this.#numbers.push(RESULT, this.#key(id), this.#key(tool));
	}

	/** `undefined` where there is none. */
	orphans(findOrphans: FindOrphans): Orphans | undefined {
		const found = new Map<number, Set<number>>();
		for (const item of findOrphans(Uint32Array.from(this.#numbers))) {
			const place = this.#places.get(item);
			if (place === undefined) throw new Error(`item ${item} of the outline is no result`);
			const blocks = found.get(place.message) ?? new Set();
			found.set(place.message, blocks.add(place.block));
		}
		return found.size > 0 ? found : undefined;
	}

	/** Ids and tool names share their keys: they are never compared with each other. */
	#key(text: unknown): number {
		if (typeof text !== "string") return NONE;
		const known = this.#keys.get(text);
		if (known !== undefined) return known;
		const key = this.#keys.size + 1;
		this.#keys.set(text, key);
		return key;
	}
}
