/**
 * The shape of a JSON text: keys, and of a list its length and the keys of its first element. Read by one pass that opens
 * a few levels and steps over what is deeper; what is cut off or broken is told as far as it goes.
 */

/** Levels that are opened. */
const LEVELS = 3;
/** Keys of one object that are kept. */
const MOST_KEYS = 40;
/** Units of a shape by level from the outside: what stands further out says more. */
const UNITS = [180, 80, 50];

/** Whether a text begins as JSON does: an object with a key, or a list of values. */
export function isJson(text: string): boolean {
	return /^\ufeff?\s*(?:\{\s*["}]|\[\s*(?:[{"[\]]|-?\d[\d.eE+-]*\s*[,\]]|(?:true|false|null)\s*[,\]]))/.test(text);
}

export function jsonLine(text: string): string {
	const reader = new Reader(text);
	const shape = reader.value(0);
	return `JSON: ${shape}${reader.isBroken ? ", cut off" : ""}`;
}

/** The keys of an object that a text begins with. */
export function keysOf(text: string): string[] {
	return new Reader(text).keys();
}

const SPACE = /\s*/y;
const BRACKET_OR_QUOTE = /["{}[\]]/g;
const SCALAR_END = /[,}\]\s]|$/g;

class Reader {
	/** The text ended, or went on as JSON does not. */
	isBroken = false;
	readonly #text: string;
	#at: number;

	constructor(text: string) {
		this.#text = text;
		this.#at = text.startsWith("\ufeff") ? 1 : 0;
	}

	/** The shape of the value that begins here; empty for one that is neither object nor list. */
	value(level: number): string {
		const opening = this.#peek();
		if (opening === "{" && level < LEVELS) return this.#object(level);
		if (opening === "[" && level < LEVELS) return this.#list(level);
		this.#skip(opening);
		return opening === "{" ? "{…}" : opening === "[" ? "[…]" : "";
	}

	keys(): string[] {
		const names: string[] = [];
		this.#members((name) => {
			names.push(name);
			this.#skip(this.#peek());
		});
		return names;
	}

	#object(level: number): string {
		const names: string[] = [];
		let more = 0;
		this.#members((name) => {
			if (names.length === MOST_KEYS) {
				more += 1;
				this.#skip(this.#peek());
				return;
			}
			const shape = this.value(level + 1);
			names.push(shape === "" ? name : `${name}: ${shape}`);
		});
		return `{${joined(names, UNITS[level] ?? 0, more)}}`;
	}

	/** Calls `each` at the value of each member. */
	#members(each: (name: string) => void): void {
		if (this.#peek() !== "{") return;
		this.#at += 1;
		for (let next = this.#peek(); next !== "}" && !this.isBroken; ) {
			const start = this.#at;
			if (next !== '"' || !this.#string()) break;
			const name = this.#text.slice(start + 1, this.#at - 1);
			if (this.#peek() !== ":") break;
			this.#at += 1;
			each(name);
			if (!this.#goesOn("}")) return;
			next = this.#peek();
		}
		this.#close("}");
	}

	#list(level: number): string {
		this.#at += 1;
		let count = 0;
		let first = "";
		for (let next = this.#peek(); next !== "]" && !this.isBroken; next = this.#peek()) {
			if (next === "") break;
			if (count === 0) first = this.value(level + 1);
			else this.#skip(next);
			count += 1;
			if (!this.#goesOn("]")) return told(count, first);
		}
		this.#close("]");
		return told(count, first);
	}

	/** Passes a comma; false where the end was reached and passed. */
	#goesOn(end: string): boolean {
		const next = this.#peek();
		if (next === ",") {
			this.#at += 1;
			return true;
		}
		this.#close(end);
		return false;
	}

	#close(end: string): void {
		if (this.#peek() === end) this.#at += 1;
		else this.isBroken = true;
	}

	/** The next character that is no space; empty at the end. */
	#peek(): string {
		SPACE.lastIndex = this.#at;
		SPACE.test(this.#text);
		this.#at = SPACE.lastIndex;
		return this.#text.charAt(this.#at);
	}

	/** Steps over a string; false where it does not end. */
	#string(): boolean {
		for (let at = this.#at + 1; ; at += 1) {
			at = this.#text.indexOf('"', at);
			if (at < 0) {
				this.#at = this.#text.length;
				this.isBroken = true;
				return false;
			}
			let slashes = 0;
			while (this.#text.charAt(at - 1 - slashes) === "\\") slashes += 1;
			if (slashes % 2 === 1) continue;
			this.#at = at + 1;
			return true;
		}
	}

	/** Steps over a value without opening it. */
	#skip(opening: string): void {
		if (opening === '"') {
			this.#string();
			return;
		}
		if (opening !== "{" && opening !== "[") {
			SCALAR_END.lastIndex = this.#at;
			const end = SCALAR_END.exec(this.#text)?.index ?? this.#text.length;
			if (end === this.#at) this.isBroken = true;
			this.#at = end;
			return;
		}
		let depth = 0;
		do {
			BRACKET_OR_QUOTE.lastIndex = this.#at;
			const found = BRACKET_OR_QUOTE.exec(this.#text);
			if (!found) {
				this.#at = this.#text.length;
				this.isBroken = true;
				return;
			}
			this.#at = found.index;
			if (found[0] === '"') {
				if (!this.#string()) return;
				continue;
			}
			depth += found[0] === "{" || found[0] === "[" ? 1 : -1;
			this.#at += 1;
		} while (depth > 0);
	}
}

function told(count: number, first: string): string {
	if (count === 0) return "[]";
	return first === "" ? `[${count}]` : `[${count} x ${first}]`;
}

/** A member whose shape would take most of the room is named alone; one that does not fit is counted. */
function joined(members: readonly string[], most: number, more: number): string {
	let list = "";
	let left = more;
	for (const member of members) {
		const plain = member.length > most / 2 ? (member.split(":")[0] ?? "") : member;
		const longer = list === "" ? plain : `${list}, ${plain}`;
		if (left > more || longer.length > most) left += 1;
		else list = longer;
	}
	if (left === 0) return list;
	return list === "" ? `${left} keys` : `${list}, ${left} more`;
}
