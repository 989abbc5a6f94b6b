/** What the scenarios may cost against plain Pi, and whom Pi talks to in them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { PI_ZIP } from "../host/home.ts";
import { play } from "./play.ts";
import { INTERRUPTED, PASSING, SCENARIOS, UNKIND } from "./scenarios.ts";

for (const { name, bound, ...scenario } of [...SCENARIOS, ...PASSING, ...INTERRUPTED, ...UNKIND]) {
	test(`${name} costs at most ${bound} of plain Pi`, async (t) => {
		const [plain, zip] = await Promise.all([play(scenario, {}), play(scenario, { extensions: [PI_ZIP] })]);
		for (const { requests } of [plain, zip]) {
			assert.deepEqual(
				requests.filter(({ status }) => status === 400),
				[],
			);
		}
		const ratio = zip.bill.money / plain.bill.money;
		const dollars = [plain, zip].map(({ bill }) => `$${bill.money.toFixed(3)}`);
		t.diagnostic(`${dollars[0]} plain, ${dollars[1]} with pi-zip, ratio ${ratio.toFixed(3)}, ${zip.folded} folded`);
		assert.ok(ratio <= bound, `ratio ${ratio}`);
		assert.equal(plain.folded, 0);
		assert.deepEqual(zip.connections, [zip.address]);
	});
}
