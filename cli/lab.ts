/**
 * The Rust lab: loads its module, which Pi never loads, and calls it with the bytes of a session file.
 */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { brotliDecompressSync } from "node:zlib";
import * as module from "../build/lab/lab.js";
import { Failure } from "./failure.ts";

export type { WireOutcome, WirePart, WireRequest, WireSession } from "../build/lab/lab.js";

/** In the sources the module stands in the build folder, in the package beside the bundle, made small. */
const MODULE = new URL(
	import.meta.url.endsWith("/lab.ts") ? "../build/lab/lab_bg.wasm" : "lab_bg.wasm.br",
	import.meta.url,
);

/** The memory of a module never shrinks: beyond this many bytes the next file gets a fresh one. */
const LARGEST_MEMORY = 256 * 1024 * 1024;

/** What the lab says of bytes of which no line can be read. */
const NO_LINE = "the file is empty";

let memory: { readonly buffer: ArrayBufferLike } | undefined;

function moduleBytes(): Uint8Array {
	const bytes = readFileSync(fileURLToPath(MODULE));
	return MODULE.pathname.endsWith(".br") ? brotliDecompressSync(bytes) : bytes;
}

function call<T>(bytes: Uint8Array, use: () => T): T {
	memory ??= module.initSync({ module: moduleBytes() }).memory;
	try {
		return use();
	} catch (error) {
		refresh();
		const reason = error instanceof Error ? error.message : String(error);
		throw new Failure(reason === NO_LINE && bytes.some((byte) => byte > 32) ? "no line of it can be read" : reason);
	} finally {
		if ((memory?.buffer.byteLength ?? 0) > LARGEST_MEMORY) refresh();
	}
}

/** After a failure the memory cannot be trusted. */
function refresh(): void {
	module.__wbg_reset_state();
	memory = undefined;
}

/** `prices` are those that models declare, in JSON. */
export const replaySession = (bytes: Uint8Array, all: boolean, prices: string) =>
	call(bytes, () => module.replaySession(bytes, all, prices));
export const reportSession = (bytes: Uint8Array, prices: string) =>
	call(bytes, () => module.reportSession(bytes, prices));
