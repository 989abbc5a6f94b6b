/** Inside the core, lower modules know nothing of higher ones, and none knows the world outside. */
import assert from "node:assert/strict";
import test from "node:test";
import { code, files } from "./sources.ts";

const CORE = "crates/pi-zip-core/src/";

/** What each module may use, beside itself. */
const LAYERS: { [module: string]: readonly string[] } = {
	text: [],
	orphans: [],
	session: ["text"],
	search: ["text"],
	recall: ["text", "search"],
	pairing: ["session", "orphans"],
	tokens: ["text", "session"],
	classify: ["text", "session"],
	cache: ["text", "session", "tokens"],
	prices: ["cache"],
	need: [],
	pace: ["session", "tokens", "cache"],
	payback: ["prices", "pace"],
	situation: ["text", "session", "tokens", "classify", "cache", "pace", "prices"],
	edit: ["text", "session"],
	placeholder: ["text", "session", "tokens", "classify", "cache"],
	// Not the planner, whose faults it is there to see.
	guard: ["text", "session", "pairing", "tokens", "classify", "cache", "situation", "edit", "placeholder"],
	folded: ["text", "session", "tokens", "situation"],
	plan: [
		"text",
		"session",
		"tokens",
		"classify",
		"cache",
		"prices",
		"need",
		"pace",
		"payback",
		"situation",
		"edit",
		"placeholder",
	],
	summary: ["text", "session", "situation", "placeholder"],
	warming: ["session", "cache"],
};

/** Clock, environment, files, processes, network, output, JavaScript and serialisation. */
const OUTSIDE =
	/\bstd::(?:time|env|fs|process|net|io|thread)\b|\be?print(?:ln)?!|\bdbg!|\b(?:js_sys|wasm_bindgen|serde)\b/;

const sources = files(/^crates\/pi-zip-core\/src\/.*\.rs$/).filter((file) => file !== `${CORE}lib.rs`);

const moduleOf = (file: string): string => file.slice(CORE.length).replace(/\.rs$/, "").split("/")[0] ?? "";

/** Modules of the crate that a text names: `crate::a`, `crate::{a::B, c}`, and `super::a` that climbs to the root. */
function named(text: string, depth: number): string[] {
	const direct = [...text.matchAll(/\bcrate::(\w+)/g)].map((match) => match[1] ?? "");
	const grouped = [...text.matchAll(/\bcrate::\{([^;]*)\}/g)].flatMap((match) => [
		...(match[1] ?? "").replace(/\{[^}]*\}/g, "").matchAll(/(?:^|,)\s*(\w+)/g),
	]);
	const climbing = new RegExp(`\\b(?:super::){${depth + 1},}(\\w+)`, "g");
	const climbed = [...text.matchAll(climbing)].map((match) => match[1] ?? "");
	const names = [...direct, ...grouped.map((match) => match[1] ?? ""), ...climbed];
	return [...new Set(names)].filter((name) => Object.hasOwn(LAYERS, name));
}

function usedBy(file: string): string[] {
	const depth = file.slice(CORE.length).split("/").length - 1;
	return named(code(file), depth).filter((name) => name !== moduleOf(file));
}

test("each module has a layer", () => {
	assert.ok(sources.length > 0);
	assert.deepEqual(
		sources.filter((file) => !Object.hasOwn(LAYERS, moduleOf(file))),
		[],
	);
});

test("each module uses lower ones only", () => {
	for (const file of sources) {
		const allowed = LAYERS[moduleOf(file)] ?? [];
		assert.deepEqual(
			usedBy(file).filter((name) => !allowed.includes(name)),
			[],
			`${file} uses what its layer must not know`,
		);
	}
});

test("the layers have no circle", () => {
	const height = (module: string, above: readonly string[] = []): number => {
		assert.ok(!above.includes(module), `${module} is above itself`);
		return 1 + Math.max(0, ...(LAYERS[module] ?? []).map((lower) => height(lower, [...above, module])));
	};
	for (const module of Object.keys(LAYERS)) assert.ok(height(module) > 0);
});

test("the core knows nothing of the world outside", () => {
	for (const file of sources) assert.doesNotMatch(code(file), OUTSIDE, file);
});

test("the check sees each form of a use", () => {
	assert.deepEqual(named("use crate::plan::Plan;", 0), ["plan"]);
	assert.deepEqual(named("use crate::{text, guard::{Check, Fault}, plan::Plan};", 0), ["text", "guard", "plan"]);
	assert.deepEqual(named("let x = super::plan::new();", 0), ["plan"]);
	assert.deepEqual(named("use super::text;", 1), []);
	assert.deepEqual(named("use super::super::plan;", 1), ["plan"]);
});
