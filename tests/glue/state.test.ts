/** What the user chose is read from the newest entry of the session, whatever stands in it. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { SessionManager } from "@earendil-works/pi-coding-agent";
import { keepChoice, readChoice } from "../../src-ts/state.ts";

const CASES: [data: unknown, enabled: boolean, quiet: boolean][] = [
	[undefined, true, false],
	[null, true, false],
	["off", true, false],
	[[], true, false],
	[{}, true, false],
	[{ enabled: false }, false, false],
	[{ enabled: 0, quiet: 1 }, true, false],
	[{ enabled: true, quiet: true }, true, true],
];

for (const [data, enabled, quiet] of CASES) {
	test(`a choice kept as ${JSON.stringify(data)}`, () => {
		const session = SessionManager.inMemory("/");
		session.appendCustomEntry("pi-zip.state", data);
		session.appendCustomEntry("another", { enabled: true });
		assert.deepEqual(readChoice(session), { enabled, quiet });
	});
}

test("the newest choice counts", () => {
	const session = SessionManager.inMemory("/");
	assert.deepEqual(readChoice(session), { enabled: true, quiet: false });
	const pi = { appendEntry: (type: string, data: unknown) => void session.appendCustomEntry(type, data) };
	keepChoice(pi, { enabled: false, quiet: true });
	keepChoice(pi, { enabled: true, quiet: true });
	assert.deepEqual(readChoice(session), { enabled: true, quiet: true });
});
