/**
 * Takes secrets out of a text that leaves its session: keys by their shapes, and what is assigned to a name that says so.
 *
 * What is left shows that something was there, and lines keep their numbers. Each expression looks at a bounded stretch of
 * text, so time is linear. It errs on the side of taking out; the session itself is never changed.
 */

const MARK = "[redacted]";

/** Where a key may begin: at the edge of a word, behind a colour of a terminal, behind a line feed as JSON writes it. */
const START = String.raw`(?:\b|(?<=\x1b\[[0-9;]{0,20}m|\\[nrt]))`;

/** Keys that services give out. */
const KEYS = [
	"(?:sk|pk|rk)[-_](?:live|test|proj|ant|or|svcacct|admin)[-_][A-Za-z0-9_-]{16,300}",
	"sk-[A-Za-z0-9]{20,200}",
	"gh[pousr]_[A-Za-z0-9]{20,255}",
	"github_pat_[A-Za-z0-9_]{20,255}",
	"glpat-[A-Za-z0-9_-]{16,100}",
	"xox[abeoprs]-[A-Za-z0-9-]{10,200}",
	"xapp-[A-Za-z0-9-]{10,200}",
	"(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{16}\\b",
	"AIza[A-Za-z0-9_-]{30,45}",
	"ya29\\.[A-Za-z0-9_-]{20,300}",
	"npm_[A-Za-z0-9]{30,60}",
	"pypi-[A-Za-z0-9_-]{30,300}",
	"hf_[A-Za-z0-9]{20,60}",
	"dop_v1_[a-f0-9]{30,80}",
	"whsec_[A-Za-z0-9+/=]{20,100}",
	"SG\\.[A-Za-z0-9_-]{16,40}\\.[A-Za-z0-9_-]{16,80}",
	"GOCSPX-[A-Za-z0-9_-]{20,60}",
	"gsk_[A-Za-z0-9]{20,100}",
	"xai-[A-Za-z0-9]{20,120}",
	"shp(?:at|ss|ca|pa)_[a-fA-F0-9]{20,60}",
	"AGE-SECRET-KEY-1[A-Z0-9]{30,80}",
	"\\d{8,10}:AA[A-Za-z0-9_-]{30,40}",
	"hv[sb]\\.[A-Za-z0-9_-]{20,300}",
];

/** What all of them begin with: most texts hold nothing of it, and are passed by without a look at each word. */
const BEGINS =
	/[spr]k[-_]|gh[pousr]_|github_pat_|glpat-|xox[abeoprs]-|xapp-|A(?:KIA|SIA|ROA|IDA|Iza|GE-)|ya29|npm_|pypi-|hf_|dop_|whsec_|SG\.|GOCSPX-|gsk_|xai-|shp(?:at|ss|ca|pa)_|:AA|hv[sb]\./;
const PEM = "-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----";
/** Each with what no text is without that holds one. */
const SHAPES: readonly (readonly [sign: RegExp, shape: RegExp])[] = [
	// Up to its end, but never beyond where another begins: each text is looked at once.
	[
		/PRIVATE KEY/,
		new RegExp(
			String.raw`${PEM}(?:(?!-----BEGIN)[\s\S]){0,8000}?(?:-----END [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----|$)`,
			"g",
		),
	],
	// One whose end was cut off, or is far away; its line feeds may be written as JSON writes them.
	[/PRIVATE KEY/, new RegExp(String.raw`${PEM}(?:(?:\s|\\[nr]){1,4}[A-Za-z0-9+/=]{16,80}){1,200}`, "g")],
	[BEGINS, new RegExp(`${START}(?:${KEYS.join("|")})`, "g")],
	// A token of three parts. It begins where nothing of its kind stands in front, so that none is looked at twice.
	[
		/eyJ/,
		/(?:(?<![A-Za-z0-9_-])|(?<=\x1b\[[0-9;]{0,20}m|\\[nrt]))eyJ[A-Za-z0-9_-]{8,2000}\.[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{8,2000}/g,
	],
];

/** Names of what is secret; `passed`, `author` and counts of tokens are none. */
const SECRET =
	"(?:pass(?:word|wd|phrase)|(?<![A-Za-z])pass(?![A-Za-z])|secret|token(?!s)|api[_-]?key|(?:access|account|encryption|private|secret)[_-]?key|credentials?|auth(?!or))";
/** Behind a name, in front of a value: an assignment, with or without quotes, which JSON in JSON escapes. */
const ASSIGNS = String.raw`[A-Za-z0-9_-]{0,30}\\?["']?\s{0,3}(?::=|=>|[:=])\s{0,3}`;
/** `password = …`, `"api_key": "…"`; of a value in quotes all of it. */
const QUOTED = new RegExp(String.raw`(${SECRET}${ASSIGNS})(\\?["'])((?:(?!\2)[^\n]){6,4000}?)(?=\2)`, "gi");
const ASSIGNED = new RegExp(
	String.raw`(${SECRET}${ASSIGNS}(?:[bfr](?=["']))?\\?["']{0,3})([^\s"',;){}\]\\]{6,4000})`,
	"gi",
);
const OPTION = /(--(?:token|password|passwd|secret|api-?key|auth-?token|access-?token)\s{1,3}["']?)([^\s"']{6,4000})/gi;
const BEARER = /(\b(?:Bearer|Basic|Token)\s{1,3})([A-Za-z0-9._~+/=-]{12,2000})/gi;
/** A word behind `Basic`, and no key. */
const WORD = /^[A-Za-z][a-z./-]+$/;
/** `<password>…</password>`, a name and a value of Kubernetes, `ENV API_KEY …`, `curl -u user:…`. */
const OTHERWISE = [
	new RegExp(String.raw`(<[\w:-]{0,40}${SECRET}[\w:-]{0,40}>)([^<>\n]{6,400})(?=</)`, "gi"),
	new RegExp(
		String.raw`(\bname:\s{0,3}["']?[\w-]{0,60}${SECRET}[\w-]{0,30}["']?\s{0,3}\n\s{0,20}value:\s{0,3}["']?)([^\s"']{6,4000})`,
		"gi",
	),
	new RegExp(
		String.raw`(\b(?:ENV|export|setx?|setenv)(?: -g?x)?\s{1,3}[\w-]{0,60}${SECRET}[\w-]{0,30}\s{1,3}["']?)([^\s"']{6,4000})`,
		"gi",
	),
	/(\bcurl\b[^\n]{0,200}?\s(?:-u|--user)[\s=]{0,2}["']?[^\s:"']{1,80}:)([^\s"']{3,200})/g,
];
const IN_ADDRESS = /(:\/\/[^\s:/@]{0,80}:)([^\s@/]{3,200})(?=@)/g;
/** Code that names a secret without holding one. */
const NO_SECRET =
	/^(?:\$[A-Z_]{1,100}|\$\{[\w.]{1,100}\}?|(?:process|os|env|ENV|self|this)\.[\w.[\]]{1,200}|[Ss]tring|str|number|boolean|undefined|null|None|[Ff]alse|[Tt]rue|await|new|[Bb]earer|[Bb]asic|[Tt]oken|<.{0,400}|\*{3}.{0,400}|\[redacted.{0,400}|[\w.]{1,200}\(.{0,400})[|?!]?$/;

export function redact(text: string): string {
	let clean = text;
	for (const [sign, shape] of SHAPES) {
		if (sign.test(clean)) clean = clean.replace(shape, (key) => MARK + key.replace(/[^\n]+/g, ""));
	}
	for (const form of OTHERWISE) {
		clean = clean.replace(form, (all, name: string, value: string) => (NO_SECRET.test(value) ? all : `${name}${MARK}`));
	}
	return clean
		.replace(BEARER, (all, name: string, value: string) =>
			WORD.test(value) && !/^Bearer/i.test(name) ? all : `${name}${MARK}`,
		)
		.replace(OPTION, (all, name: string, value: string) => (NO_SECRET.test(value) ? all : `${name}${MARK}`))
		.replace(IN_ADDRESS, (_, name: string) => `${name}${MARK}`)
		.replace(QUOTED, (all, name: string, quote: string, value: string) =>
			NO_SECRET.test(value) ? all : `${name}${quote}${MARK}`,
		)
		.replace(ASSIGNED, (all, name: string, value: string) => (NO_SECRET.test(value) ? all : `${name}${MARK}`));
}

const SECRET_NAME = new RegExp(SECRET, "i");

/** A value of which it is known what it is called, such as an argument of a call. */
export function redactNamed(name: string, text: string): string {
	const isSecret = SECRET_NAME.test(name) && text.trim() !== "" && !NO_SECRET.test(text.trim());
	// Lines keep their numbers.
	return isSecret ? MARK + text.replace(/[^\n]+/g, "") : redact(text);
}

/** A copy of what was parsed from JSON, its texts cleaned by what they are called. */
export function redactDeep(value: unknown, name = ""): unknown {
	if (typeof value === "string") return redactNamed(name, value);
	if (Array.isArray(value)) return value.map((one) => redactDeep(one, name));
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, redactDeep(one, key)]));
}

/** How many places were taken out of a text that `redact` gave. */
export function redactions(before: string, after: string): number {
	const count = (text: string) => text.split(MARK).length - 1;
	return count(after) - count(before);
}
