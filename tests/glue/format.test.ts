/** Numbers as users read them, the same in every place. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { count, dollars, span, tokens } from "../../src-ts/format.ts";

test("tokens", () => {
	const numbers = [0, 1, 999.4, 1_000, 8_449, 9_949, 9_950, 84_499, 999_499, 999_500, 12_345_678, 123_456_789, 1e9];
	assert.equal(numbers.map(tokens).join(" "), "0 1 999 1.0K 8.4K 9.9K 10K 84K 999K 1.0M 12.3M 123M 1.0G");
	assert.equal([Number.NaN, Number.POSITIVE_INFINITY].map(tokens).join(" "), "? ?");
});

test("time spans", () => {
	const seconds = [-5, 0, 59.6, 99, 100, 300, 5_000, 6_000, 12_600, 172_000, 200_000];
	const told = seconds.map((number) => span(number * 1000)).join(", ");
	assert.equal(told, "0 s, 0 s, 60 s, 99 s, 2 min, 5 min, 83 min, 1.7 h, 3.5 h, 2 d, 2 d");
});

test("dollars", () => {
	assert.equal(
		[0, 0.42, 12.345, -0.25, 0.00312, -0.003, 9_999.99, -10_000, Number.NaN].map(dollars).join(" "),
		"$0.0000 $0.42 $12.35 -$0.25 $0.0031 -$0.0030 $9999.99 -$10K $?",
	);
});

test("counts", () => {
	assert.deepEqual(
		[count(0, "output"), count(1, "output"), count(2, "reply", "replies")],
		["0 outputs", "1 output", "2 replies"],
	);
});
