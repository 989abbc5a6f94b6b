/**
 * Two prompt caches, written from the providers' public rules.
 *
 * Explicit: an entry stands at each marked block whose prefix has at least 1,024 tokens. A request finds an entry by
 * looking at the marked block and back, 20 positions in all for each mark. A hit renews the entry's life. What is
 * behind the hit, up to the last mark, is written; what is behind the last mark is plain input.
 *
 * Automatic: the prompt is cut into steps of 128 tokens and the longest known prefix is read, however far back it ends.
 *
 * The providers do not say whether reading a long prefix renews the shorter entries on it. `unkind` takes the worse
 * answer: only the entry that was hit lives on.
 *
 * Time is an argument. Nothing here knows prices or requests' shapes.
 */
import { createHash } from "node:crypto";
import { type Block, BYTES_PER_TOKEN, sumTokens, type Tier } from "./tokens.ts";

export interface CacheUse {
	/** Tokens billed at the full input price. */
	input: number;
	read: number;
	/** Tokens written for the short tier, or by an automatic cache. */
	write: number;
	/** Tokens written for the hour tier. */
	writeHour: number;
}

export interface PromptCache {
	use(scope: string, blocks: Block[], now: number): CacheUse;
}

export interface CacheOptions {
	/** Seconds that an entry of the short tier lives, or any entry of an automatic cache. */
	lifetime: number;
	unkind: boolean;
}

/** Positions looked at for each mark, the marked block included. */
const LOOKBACK = 20;
/** Tokens below which a prefix is not cached. */
const MINIMUM_ENTRY = 1024;
/** Tokens between two places where an automatic cache can stop. */
const STEP = 128;
const HOUR_SECONDS = 3600;

interface Entry {
	expires: number;
	seconds: number;
}

function digest(previous: string, text: string | Buffer): string {
	return createHash("sha1").update(previous).update("\0").update(text).digest("base64");
}

export class ExplicitCache implements PromptCache {
	readonly #entries = new Map<string, Entry>();
	readonly #options: CacheOptions;

	constructor(options: CacheOptions) {
		this.#options = options;
	}

	use(scope: string, blocks: Block[], now: number): CacheUse {
		const keys: string[] = [];
		const ends: number[] = [];
		let key = scope;
		let end = 0;
		for (const { text, tokens } of blocks) {
			key = digest(key, text);
			end += tokens;
			keys.push(key);
			ends.push(end);
		}
		const marks = blocks.flatMap(({ mark }, index) => (mark ? [index] : []));
		const hit = this.#find(keys, marks, now);
		const read = hit < 0 ? 0 : ends[hit]!;
		if (hit >= 0) this.#renew(keys, hit, now);
		let [write, writeHour, written] = [0, 0, read];
		for (const index of marks) {
			if (ends[index]! < MINIMUM_ENTRY) continue;
			const beyond = index > hit;
			if (!beyond && this.#options.unkind) continue;
			const tier: Tier = blocks[index]!.mark!;
			const seconds = tier === "1h" ? HOUR_SECONDS : this.#options.lifetime;
			this.#entries.set(keys[index]!, { expires: now + seconds * 1000, seconds });
			if (!beyond) continue;
			if (tier === "1h") writeHour += ends[index]! - written;
			else write += ends[index]! - written;
			written = ends[index]!;
		}
		return { input: end - written, read, write, writeHour };
	}

	/** The furthest live entry that a mark finds, as a block index; -1 for none. */
	#find(keys: string[], marks: number[], now: number): number {
		for (const mark of marks.toReversed()) {
			for (let index = mark; index > mark - LOOKBACK && index >= 0; index -= 1) {
				if ((this.#entries.get(keys[index]!)?.expires ?? 0) > now) return index;
			}
		}
		return -1;
	}

	#renew(keys: string[], hit: number, now: number): void {
		for (let index = this.#options.unkind ? hit : 0; index <= hit; index += 1) {
			const entry = this.#entries.get(keys[index]!);
			if (entry && entry.expires > now) entry.expires = now + entry.seconds * 1000;
		}
	}
}

export class AutomaticCache implements PromptCache {
	readonly #expires = new Map<string, number>();
	readonly #options: CacheOptions;

	constructor(options: CacheOptions) {
		this.#options = options;
	}

	use(scope: string, blocks: Block[], now: number): CacheUse {
		const total = sumTokens(blocks);
		// Each block is padded to whole tokens, so that a step here is a step of the count.
		const bytes = Buffer.concat(
			blocks.map(({ text, tokens }) => Buffer.concat([Buffer.from(text)], tokens * BYTES_PER_TOKEN)),
		);
		const keys: string[] = [];
		let key = scope;
		for (let step = 1; step * STEP <= total; step += 1) {
			key = digest(key, bytes.subarray((step - 1) * STEP * BYTES_PER_TOKEN, step * STEP * BYTES_PER_TOKEN));
			keys.push(key);
		}
		const hit = keys.findLastIndex((step) => (this.#expires.get(step) ?? 0) > now);
		const read = (hit + 1) * STEP >= MINIMUM_ENTRY ? (hit + 1) * STEP : 0;
		const cacheable = total >= MINIMUM_ENTRY ? keys.length * STEP : 0;
		if (cacheable > 0) {
			const first = this.#options.unkind ? Math.max(hit, 0) : 0;
			for (const step of keys.slice(first)) this.#expires.set(step, now + this.#options.lifetime * 1000);
		}
		const write = Math.max(0, cacheable - read);
		return { input: total - read - write, read, write, writeHour: 0 };
	}
}
