/**
 * Questions with known answers: facts planted among work that looks alike, half of them in call arguments and user text,
 * each with near-copies, and for each a query as somebody would write it who remembers the gist.
 */
import type { Story } from "./session.ts";

export interface Question {
	readonly kind: string;
	readonly query: string;
	/** What a plain substring search is given: the most telling words, as they are written. */
	readonly substring: string;
	/** Entries that answer it. */
	readonly right: readonly string[];
}

const NEAR_COPIES = 10;
const NOUNS =
	"ledger invoice shipment tenant session pool cache index queue token report widget region margin vendor batch".split(
		" ",
	);
const VERBS = "reconcile validate merge rotate flush settle resolve archive prune balance".split(" ");
const PLACES = ["argument", "user", "output", "output"] as const;

export type Random = () => number;

/** Mulberry32. */
export function randomFrom(seed: number): Random {
	let state = seed >>> 0;
	return () => {
		state = (state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
	};
}

export function plant(story: Story, count: number, random: Random): Question[] {
	const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
	const number = (most: number) => Math.floor(random() * most);
	const filler = () =>
		Array.from(
			{ length: 5 + number(40) },
			() => `${pick(VERBS)} ${pick(NOUNS)} ${number(900)} of ${pick(NOUNS)} in ${number(90)} ms`,
		).join("\n");
	/** Puts a line into the session where such facts stand; the entry that holds it. */
	const tell = (line: string, place: (typeof PLACES)[number]): string => {
		if (place === "user") return story.user(`${filler()}\n${line}\n${filler()}`);
		if (place === "argument")
			return story.call(
				"write",
				{ path: `notes/${number(1e6)}.md`, content: `${filler()}\n${line}\n${filler()}` },
				"written",
			).call;
		return story.call("bash", { command: `cat log.${number(1e6)}` }, `${filler()}\n${line}\n${filler()}`).result;
	};
	const work = () => void story.call("bash", { command: `make ${pick(NOUNS)}` }, filler(), random() < 0.2);
	const kinds: ((place: (typeof PLACES)[number]) => Question)[] = [
		(place) => {
			const [verb, one, two] = [pick(VERBS), pick(NOUNS), pick(NOUNS)];
			const upper = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
			const name = `${verb}${upper(one)}${upper(two)}${10 + number(90)}`;
			const near = () => `${verb}${upper(one)}${upper(pick(NOUNS))}${100 + number(900)}`;
			const right = scatter(() => `export function ${near()}(input) {`, `export function ${name}(input) {`, place);
			return {
				kind: "identifier",
				query: name.replace(/[A-Z]|\d+/g, (part) => `_${part.toLowerCase()}`),
				substring: name,
				right: [right],
			};
		},
		(place) => {
			const [host, noun] = [`10.${number(250)}.${number(250)}.${number(250)}`, pick(NOUNS)];
			const line = (port: number) => `Error: connect ECONNREFUSED ${host}:${port} while opening the ${noun}`;
			const port = 5_000 + number(900);
			const right = scatter(() => line(6_000 + number(3_000)), line(port), place);
			return {
				kind: "error",
				query: `connection refused error ${noun} ${host}:${port}`,
				substring: `${host}:${port}`,
				right: [right],
			};
		},
		(place) => {
			const noun = pick(NOUNS);
			const line = (value: number) => `the p99 of ${noun} requests came to ${value} ms with the pool at ${number(60)}`;
			const value = 1_000 + number(9_000);
			const right = scatter(() => line(10_000 + number(90_000)), line(value), place);
			return { kind: "number", query: `which ${noun} p99 was ${value} ms`, substring: `${value}`, right: [right] };
		},
		(place) => {
			const file = `src/${pick(NOUNS)}/${pick(VERBS)}.ts`;
			const line = (at: number) => `${file}:${at}:7 - unused value in ${pick(NOUNS)}`;
			const at = 100 + number(800);
			const right = scatter(() => line(1_000 + number(900)), line(at), place);
			return { kind: "file and line", query: `${file}:${at}`, substring: `${file}:${at}`, right: [right] };
		},
		() => {
			const event = `the ${pick(NOUNS)} ${pick(VERBS)} rehearsal ${number(1e5)}`;
			for (let n = 0; n < NEAR_COPIES; n += 1) {
				story.call("bash", { command: `deploy ${pick(NOUNS)} --step ${number(1e5)}` }, filler(), true);
				story.user(`Now on to ${event.replace(/\d+/, () => String(number(1e5)))}, please.`);
				work();
			}
			const failed = story.call("bash", { command: `deploy ${pick(NOUNS)} --step ${number(1e5)}` }, filler(), true);
			story.says("That did not work.");
			story.user(`Now on to ${event}, please.`);
			return {
				kind: "failed before",
				query: `the command that failed before ${event}`,
				substring: event,
				right: [failed.call, failed.result],
			};
		},
	];
	/** The near-copies around the fact itself, newer and older ones. */
	function scatter(near: () => string, line: string, place: (typeof PLACES)[number]): string {
		const at = number(NEAR_COPIES + 1);
		let right = "";
		for (let n = 0; n <= NEAR_COPIES; n += 1) {
			if (n === at) right = tell(line, place);
			else tell(near(), pick(PLACES));
			work();
		}
		return right;
	}
	story.user("Let us begin.");
	return Array.from({ length: count }, (_, n) => kinds[n % kinds.length]!(PLACES[n % PLACES.length]!));
}
