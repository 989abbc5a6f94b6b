/** Hosts that cannot run the extension are told so in one line, and nothing is registered with them. */

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { ExtensionAPI, Host } from "../src-ts/host.ts";
import piZip from "../src-ts/index.ts";

interface Fake {
	readonly version?: string;
	/** Functions of Pi, of its module or of what it hands to extensions, that are not there. */
	readonly without?: readonly string[];
}

/** Starts the extension on a host. Returns what it registered, and what it said. */
function start(context: TestContext, { version, without = [] }: Fake): { registered: string[]; said: string[] } {
	const registered: string[] = [];
	const api: Record<string, unknown> = {
		on(name: string) {
			registered.push(name);
			return () => {};
		},
		registerTool: ({ name }: { name: string }) => registered.push(name),
		registerCommand: (name: string) => registered.push(name),
		registerEntryRenderer: (name: string) => registered.push(name),
		getActiveTools: () => [],
	};
	const pi: Record<string, unknown> = { VERSION: version, buildSessionProjection() {} };
	const tui: Record<string, unknown> = { truncateToWidth() {}, replaceControlCharacters() {} };
	for (const name of without) for (const part of [api, pi, tui]) delete part[name];
	const error = context.mock.method(console, "error", () => {});
	piZip(api as unknown as ExtensionAPI, { pi, tui } as unknown as Host);
	return { registered, said: error.mock.calls.map(({ arguments: words }) => words.join(" ")) };
}

const REFUSED: { [name: string]: Fake } = {
	"a Pi from before the hooks": { version: "0.86.4" },
	"a preview of such a Pi": { version: "0.86.0-beta.2" },
	"an old Pi of few parts": { version: "0.9.31" },
	"a Pi without its projection": { version: "1.6.0", without: ["buildSessionProjection"] },
	"a Pi that draws no entries": { version: "1.6.0", without: ["registerEntryRenderer"] },
	"a Pi that takes no tools": { version: "1.6.0", without: ["registerTool"] },
	"a Pi that takes no commands": { version: "1.6.0", without: ["registerCommand"] },
	"a Pi that does not tell its tools": { version: "1.6.0", without: ["getActiveTools"] },
	"a Pi whose terminal cuts no lines": { version: "1.6.0", without: ["truncateToWidth"] },
	"a Pi whose terminal cleans no text": { version: "1.6.0", without: ["replaceControlCharacters"] },
	"a Pi without a version or a projection": { without: ["buildSessionProjection"] },
};

for (const [name, fake] of Object.entries(REFUSED)) {
	test(`refused: ${name}`, (context) => {
		const { registered, said } = start(context, fake);
		assert.deepEqual(registered, []);
		assert.equal(said.length, 1);
		assert.match(
			said[0]!,
			new RegExp(`^pi-zip needs Pi [\\d.]+ or newer \\(this is ${fake.version ?? "unknown"}\\).*[^\\n]$`),
		);
	});
}

const TAKEN: { [name: string]: Fake } = {
	"the oldest Pi that has all": { version: "0.87.0" },
	"a Pi of today": { version: "1.6.0" },
	"a preview of a Pi to come": { version: "2.0.0-rc.1" },
	"a Pi with a name for a version": { version: "nightly" },
	"a Pi that does not tell its version": {},
};

for (const [name, fake] of Object.entries(TAKEN)) {
	test(`taken: ${name}`, (context) => {
		const { registered, said } = start(context, fake);
		assert.deepEqual(said, []);
		for (const expected of ["context_with_system", "before_provider_request", "zip_recall", "zip"]) {
			assert.ok(registered.includes(expected), expected);
		}
		// Handlers at these end the warming of Pi's cache, so they come and go with what there is to write.
		for (const boundary of ["turn_end", "agent_before_settle", "context"]) assert.ok(!registered.includes(boundary));
	});
}

test("switched off by the environment: nothing is registered or said, even where Pi is too old", (context) => {
	process.env.PI_ZIP_OFF = "1";
	context.after(() => delete process.env.PI_ZIP_OFF);
	for (const version of ["1.6.0", "0.1.0"]) {
		assert.deepEqual(start(context, { version }), { registered: [], said: [] });
		context.mock.reset();
	}
});
