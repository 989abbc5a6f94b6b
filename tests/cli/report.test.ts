/** `pi-zip report`: a page that holds the session's figures, and in which text of the session is never markup. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { chmodSync, lstatSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { ROOT } from "../host/home.ts";
import { type Markup, parse } from "./markup.ts";
import { type Planted, run, scratch, session, write } from "./session.ts";

const cwd = scratch();
const EVIL = `"'\`></title></style></script><script>alert(1)</script><img src=x onerror=alert(2)>`;
/** All that a page is made of. */
const ELEMENTS = new Set(
	"html head meta title style body main header h1 h2 p dl div dt dd small section svg g path rect line text ul li table thead tbody tr th td details summary b span footer script".split(
		" ",
	),
);

function report(name: string, planted: Planted = {}): { html: string; page: Markup } {
	const file = write(join(cwd, `${name}.jsonl`), session(planted));
	const to = join(cwd, `${name}.html`);
	const { status, stderr } = run(["report", file, "-o", to], { cwd });
	assert.equal(stderr, `pi-zip: wrote ${to}\n`);
	assert.equal(status, 0);
	const html = readFileSync(to, "utf8");
	return { html, page: parse(html) };
}

test("planted markup in outputs, paths, commands and model names stays text", () => {
	const { page } = report("evil", { cwd: `/srv/${EVIL}`, model: EVIL, command: EVIL, output: EVIL });
	assert.ok(page.text.includes("onerror=alert(2)"), "what was planted is shown");
	for (const { name, attributes } of page.elements) {
		assert.ok(ELEMENTS.has(name), name);
		for (const key of attributes.keys())
			assert.doesNotMatch(key, /^(?:on|href$|src$|style$|xlink|formaction$)/, `${name} ${key}`);
	}
	assert.deepEqual(
		page.raw.map(({ name }) => name),
		["style", "script"],
	);
});

test("the page's policy allows its one style sheet and its one script, and nothing else", () => {
	const { page } = report("policy");
	const policy = page.elements.find(({ attributes }) => attributes.get("http-equiv") === "Content-Security-Policy");
	const [style, script] = page.raw.map(({ text }) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`);
	assert.equal(
		policy?.attributes.get("content"),
		`default-src 'none'; style-src ${style}; script-src ${script}; base-uri 'none'; form-action 'none'`,
	);
	// Nothing in front of the policy could load anything.
	assert.equal(page.elements.indexOf(policy!), 3);
});

test("each request has a bar and a row, the gap and the fold are marked, and amounts are the recorded ones", () => {
	const { page } = report("content", { command: "make check" });
	const has = (name: string, value: string) =>
		page.elements.filter(({ attributes }) => (attributes.get(name) ?? "").split(" ").includes(value));
	assert.equal(has("class", "gap").filter(({ attributes }) => attributes.has("x")).length, 1);
	const marks = has("class", "mark");
	assert.equal(marks.length, 1);
	assert.match(marks[0]!.attributes.get("aria-label")!, /^Folded 1 output: bash make check · 10 characters · \w{10}$/);
	assert.equal(marks[0]!.attributes.get("tabindex"), "0");
	assert.equal(
		page.elements
			.find(({ attributes }) => attributes.get("id") === "chart")
			?.attributes.get("data-x")
			?.split(" ").length,
		4,
	);
	assert.match(page.text, /Billed\s*\$0\.20/);
	assert.match(page.text, /All requests \(4\)/);
});

test("a fold that the user took back is marked as that, and not as another extension's edit", () => {
	const lines = session({ command: "make check" });
	const done = lines.at(-1)!;
	const add = (id: string, fields: object) =>
		lines.push({ id, parentId: lines.at(-1)!.id, timestamp: done.timestamp, ...fields });
	add("keep-1", { type: "custom", customType: "pi-zip.keep", data: { target: "output-1", released: false } });
	add("ask-4", { type: "message", message: { role: "user", content: "Show it.", timestamp: 1 } });
	add("done-4", { type: "message", message: done.message as object });
	const content = [{ type: "text", text: "all passed" }];
	add("edit-1", { type: "context_edit", targetId: "output-1", replacement: { content } });
	const file = write(join(cwd, "taken-back.jsonl"), lines);
	const { stdout } = run(["report", file, "-o", "-"], { cwd });
	const marks = [...stdout.matchAll(/aria-label="([^"]*)"/g)].map(([, label]) => label!);
	assert.equal(
		marks.filter((label) => /^Taken back 1 output: bash make check/.test(label)).length,
		1,
		marks.join("\n"),
	);
	assert.ok(!stdout.includes("Edited by another extension"));
});

test("what pi-zip would fold is named at its mark and in the list below", () => {
	const to = join(cwd, "small.html");
	assert.equal(run(["report", join(ROOT, "lab/small-session.jsonl"), "-o", to], { cwd }).status, 0);
	const { elements, text } = parse(readFileSync(to, "utf8"));
	const labels = elements.flatMap(({ attributes }) => attributes.get("aria-label") ?? []);
	const told = labels.filter((label) => label.startsWith("pi-zip would fold"));
	assert.ok(told.length > 0);
	for (const label of told) {
		const [, name, first] = /^(pi-zip would fold \d+ outputs?): (.*? · \d+ characters · \w{10})/.exec(label) ?? [];
		assert.ok(name && first && text.includes(name) && text.includes(first), label);
	}
});

test("the page is its owner's alone, also where one stood that was not", () => {
	const file = write(join(cwd, "private.jsonl"), session());
	const to = join(cwd, "private.html");
	writeFileSync(to, "before");
	chmodSync(to, 0o644);
	assert.equal(run(["report", file, "-o", to], { cwd }).status, 0);
	assert.equal(statSync(to).mode & 0o777, 0o600);
});

test("a report never replaces the session, and says what it cannot do in one line", () => {
	const file = write(join(cwd, "kept.jsonl"), session());
	const before = readFileSync(file, "utf8");
	const cases: [args: string[], status: number, says: RegExp][] = [
		[[file, "-o", file], 2, /would replace the session file/],
		[[file, "-o", cwd], 1, /it is a folder/],
		[[join(cwd, "none.jsonl")], 1, /no such file or folder/],
		[[], 2, /report takes one FILE/],
	];
	for (const [args, status, says] of cases) {
		const ran = run(["report", ...args], { cwd });
		assert.equal(ran.status, status);
		assert.match(ran.stderr, says);
		assert.match(ran.stderr, /^pi-zip: [^\n]*\n$/);
	}
	assert.equal(readFileSync(file, "utf8"), before);
});

test("a session without an answer gives a page that says so", () => {
	const file = write(join(cwd, "silent.jsonl"), session().slice(0, 2));
	const { status, stdout } = run(["report", file, "-o", "-"], { cwd });
	assert.equal(status, 0);
	assert.match(parse(stdout).text, /The session holds no answer/);
});

test("a page that is to be written to a link goes to what it leads to", () => {
	const file = write(join(cwd, "linked.jsonl"), session());
	const [page, link] = [join(cwd, "page.html"), join(cwd, "link.html")];
	writeFileSync(page, "old");
	symlinkSync(page, link);
	assert.equal(run(["report", file, "-o", link], { cwd }).status, 0);
	assert.ok(lstatSync(link).isSymbolicLink());
	assert.match(readFileSync(page, "utf8"), /<html/i);
});
