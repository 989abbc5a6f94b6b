/** Every golden case of the core runs natively and as WebAssembly. */
import assert from "node:assert/strict";
import test from "node:test";
import { code, files } from "./sources.ts";

const cases = files(/^tests\/golden\/[^/]+\.txt$/);

/** The golden files that some Rust file of a folder includes. */
function included(crate: RegExp): string[] {
	const sources = files(crate).map(code).join("\n");
	const names = [...sources.matchAll(/include_str!\("[./]*\/(tests\/golden\/[^"]+)"\)/g)].map((match) => match[1]);
	return [...new Set(names)].sort() as string[];
}

test("each file of golden cases is run natively and as WebAssembly", () => {
	assert.ok(cases.length > 0);
	assert.deepEqual(included(/^crates\/pi-zip-core\/.*\.rs$/), cases);
	assert.deepEqual(included(/^crates\/pi-zip-wasm\/.*\.rs$/), cases);
});
