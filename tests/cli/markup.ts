/**
 * A page as a browser's parser would split it, as far as the pages of this project go: tags with their attributes, text, and
 * the raw contents of `style` and `script`.
 */

export interface Element {
	name: string;
	attributes: ReadonlyMap<string, string>;
}

export interface Markup {
	elements: Element[];
	/** Raw contents by element, in order. */
	raw: { name: string; text: string }[];
	text: string;
}

const ENTITIES: Readonly<Record<string, string>> = {
	amp: "&",
	lt: "<",
	gt: ">",
	quot: '"',
	"#39": "'",
	"#96": "`",
	"#10": "\n",
};

export function parse(html: string): Markup {
	const elements: Element[] = [];
	const raw: Markup["raw"] = [];
	let text = "";
	for (let at = 0; at < html.length; ) {
		const open = html.indexOf("<", at);
		text += decoded(html.slice(at, open === -1 ? html.length : open));
		if (open === -1) break;
		const tag = /^<(!doctype html|\/?[a-z][a-z0-9]*)((?:\s+[a-z][a-z0-9-]*(?:="[^"<>]*")?)*)\s*\/?>/i.exec(
			html.slice(open, open + 100_000),
		);
		if (tag === null) throw new Error(`no tag at ${JSON.stringify(html.slice(open, open + 80))}`);
		const [whole, name = "", written = ""] = tag;
		at = open + whole.length;
		if (name.startsWith("/") || name.startsWith("!")) continue;
		const pairs = [...written.matchAll(/\s+([a-z][a-z0-9-]*)(?:="([^"]*)")?/gi)];
		elements.push({ name, attributes: new Map(pairs.map(([, key = "", value = ""]) => [key, decoded(value)])) });
		if (name === "script" || name === "style") {
			const end = html.toLowerCase().indexOf(`</${name}`, at);
			raw.push({ name, text: html.slice(at, end) });
			at = end;
		}
	}
	return { elements, raw, text };
}

function decoded(text: string): string {
	return text.replace(/&([#\w]+);/g, (_, name: string) => {
		const character = ENTITIES[name];
		if (character === undefined) throw new Error(`an entity of no known name: ${name}`);
		return character;
	});
}
