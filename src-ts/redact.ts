/**
 * Takes secrets out of a text that leaves its session: keys by their shapes, and what is assigned to a name that says so.
 *
 * What is left shows that something was there, and lines keep their numbers. Each expression looks at a bounded stretch of
 * text, so time is linear. It errs on the side of taking out; the session itself is never changed.
 */

const MARK = "[redacted]";

/** Shapes of keys that services give out, and private keys in PEM. */
const SHAPES = [
	/-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[\s\S]{0,8000}?(?:-----END [A-Z ]{0,30}PRIVATE KEY-----|$)/g,
	// One whose end was cut off, or is far away.
	/-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----(?:\s{1,4}[A-Za-z0-9+/=]{16,80}){1,200}/g,
	/\b(?:sk|pk|rk)[-_](?:live|test|proj|ant|or|svcacct|admin)?[-_]?[A-Za-z0-9_-]{16,200}/g,
	/\bgh[pousr]_[A-Za-z0-9]{20,255}|\bgithub_pat_[A-Za-z0-9_]{20,255}|\bglpat-[A-Za-z0-9_-]{16,100}/g,
	/\bxox[abeoprs]-[A-Za-z0-9-]{10,200}|\bxapp-[A-Za-z0-9-]{10,200}/g,
	/\b(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{16}\b/g,
	/\bAIza[A-Za-z0-9_-]{30,45}|\bya29\.[A-Za-z0-9_-]{20,300}/g,
	/\beyJ[A-Za-z0-9_-]{8,2000}\.[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{8,2000}/g,
	/\bnpm_[A-Za-z0-9]{30,60}|\bpypi-[A-Za-z0-9_-]{30,300}|\bhf_[A-Za-z0-9]{20,60}|\bdop_v1_[a-f0-9]{30,80}/g,
];

/** `password = …`, `"api_key": "…"`, `Authorization: Bearer …`, `--token …`, `scheme://user:…@host`. */
const ASSIGNED =
	/((?:pass(?:word|wd|phrase)?|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|client[_-]?secret|credentials?|auth)[A-Za-z0-9_-]{0,30}["']?\s{0,3}(?::=|=>|[:=])\s{0,3}["']?)([^\s"',;){}\]]{6,400})/gi;
const OPTION = /(--(?:token|password|passwd|secret|api-?key|auth-?token|access-?token)\s{1,3}["']?)([^\s"']{6,400})/gi;
const BEARER = /(\b(?:Bearer|Basic|Token)\s{1,3})([A-Za-z0-9._~+/=-]{12,2000})/gi;
const IN_ADDRESS = /(:\/\/[^\s:/@]{1,80}:)([^\s@/]{3,200})(?=@)/g;
/** Code that names a secret without holding one. */
const NO_SECRET =
	/^(?:\$[A-Z_]{1,100}|\$\{[\w.]{1,100}|(?:process|os|env|ENV|self|this)\.[\w.[\]]{1,200}|[Ss]tring|str|number|boolean|undefined|null|None|[Ff]alse|[Tt]rue|await|new|[Bb]earer|[Bb]asic|[Tt]oken|<.{0,400}|\*{3}.{0,400}|\[redacted.{0,400}|[\w.]{1,200}\(.{0,400})[|?!]?$/;

export function redact(text: string): string {
	let clean = text;
	for (const shape of SHAPES) clean = clean.replace(shape, (key) => MARK + key.replace(/[^\n]+/g, ""));
	return clean
		.replace(BEARER, (_, name: string) => `${name}${MARK}`)
		.replace(OPTION, (all, name: string, value: string) => (NO_SECRET.test(value) ? all : `${name}${MARK}`))
		.replace(IN_ADDRESS, (_, name: string) => `${name}${MARK}`)
		.replace(ASSIGNED, (all, name: string, value: string) => (NO_SECRET.test(value) ? all : `${name}${MARK}`));
}

/** How many places were taken out of a text that `redact` gave. */
export function redactions(before: string, after: string): number {
	const count = (text: string) => text.split(MARK).length - 1;
	return count(after) - count(before);
}
