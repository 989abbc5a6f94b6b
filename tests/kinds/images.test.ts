/** Results with images, in a session file and through real Pi: folded by name and size, and recalled as the blocks they were. */

import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { test } from "node:test";
import { handleOf } from "../../src-ts/core.ts";
import { imageName } from "../../src-ts/recall/image.ts";
import { folds, type World } from "../world/pi.ts";
import { goOn } from "./go-on.ts";
import { assertFair, assertQuiet, assertRecalled, assertTaken, recall } from "./judge.ts";
import { SessionFile, text } from "./session-file.ts";

/** A PNG by its head, of as many bytes, whose rest no other number has. */
function png(
	number: number,
	bytes: number,
	width = 1440,
	height = 900,
): { type: string; data: string; mimeType: string } {
	const data = Buffer.alloc(bytes, number % 251);
	data.write("\x89PNG\r\n\x1a\n", 0, "latin1");
	data.write("IHDR", 12, "latin1");
	data.writeUInt32BE(width, 16);
	data.writeUInt32BE(height, 20);
	data.writeUInt32BE(number, bytes - 4);
	return { type: "image", data: data.toString("base64"), mimeType: "image/png" };
}

const said = (words: string) => text(words)[0]!;

/** All pages of an original, joined again: text blocks with their texts, images as they came. */
async function blocksOf(world: World, id: string): Promise<unknown[]> {
	const { content } = await recall(world.manager, { handle: handleOf(id), limit: 50_000 });
	return content.slice(1);
}

function contentOf(world: World, id: string): unknown {
	const entry = world.manager.getEntry(id);
	assert.ok(entry?.type === "message" && entry.message.role === "toolResult");
	return entry.message.content;
}

const MIXED = [
	["an image alone", [png(1, 3_000)]],
	["a text and its image, as Pi reads one", [said("Read image file [image/png]"), png(2, 9_000)]],
	[
		"texts and images in turn",
		[png(3, 500), said("one\r\n"), said("two"), png(4, 700), png(5, 900), said("\ud83d end")],
	],
	["several texts", [said(`${"a line\n".repeat(400)}`), said("in the middle"), said(`${"b line\n".repeat(400)}`)]],
] as const;

for (const [name, content] of MIXED) {
	test(`${name}: folded, and recalled as the blocks they were`, async () => {
		const session = new SessionFile(name).turn("1", content).turn("2").turn("3").open();
		await goOn(session, async (world) => {
			assertQuiet(world);
			for (const request of world.requests) assertFair(request);
			assert.deepEqual(await assertRecalled(world), ["r1", "r2"]);
			assert.deepEqual(await blocksOf(world, "r1"), content);
			const placeholder = folds(world.last).get("r1")!;
			const images = content.filter(({ type }) => type === "image");
			assert.equal(placeholder.includes(" and image/png 1440x900, "), images.length > 0, placeholder);
			for (const request of world.requests) await assertTaken(request);
			// The view of the first request, and Pi's own of the context edit behind it, in a fresh Pi.
			await world.restart();
			await world.prompt("And now?", [{ text: "The same." }]);
			assertFair(world.last);
			const before = world.requests.at(-2)!.view;
			assert.deepEqual(world.last.view.slice(0, before.length), before);
		});
	});
}

test("an unfolded image is in view again with its bytes", async () => {
	const content = [said("Read image file [image/png]"), png(7, 40_000)];
	const session = new SessionFile("unfolded image").turn("1", content).turn("2").turn("3").open();
	await goOn(session, async (world) => {
		await world.command("/zip unfold all");
		for (const prompt of ["One.", "Two."]) {
			await world.prompt(prompt, [{ text: "Yes." }]);
			assertQuiet(world);
			assert.deepEqual(folds(world.last), new Map());
			assert.deepEqual(world.last.view, world.last.plain);
		}
		const edits = world.manager.getBranch().filter((entry) => entry.type === "context_edit" && entry.targetId === "r1");
		assert.deepEqual((edits.at(-1) as { replacement: unknown }).replacement, { content });
	});
});

test("for a model without images their place holders of Pi's are not worth a fold", async () => {
	const long = said("a line of a report\n".repeat(400));
	const file = new SessionFile("blind")
		.turn("1", [png(8, 2_000)])
		.turn("2", [long, png(9, 2_000)])
		.turn("3")
		.turn("4");
	file.entry("m1", { type: "model_change", provider: "scripted", modelId: "blind" });
	await goOn(file.open(), async (world) => {
		assertQuiet(world);
		assert.equal(world.last.model, "blind");
		assert.deepEqual(await assertRecalled(world), ["r2", "r3"]);
	});
});

test("60 images of 1.5 MB: folded at once, no copy kept in the session, recalled byte for byte", async () => {
	const COUNT = 60;
	const BYTES = 1_500_000;
	const file = new SessionFile("sixty images");
	for (let number = 0; number < COUNT; number += 1) {
		file.asks(`u${number}`).calls(`a${number}`, [`c${number}`]);
		file
			.returns(`r${number}`, `c${number}`, [said("Read image file [image/png]"), png(number, BYTES)])
			.answers(`z${number}`);
	}
	file.turn("last").turn("newest");
	const session = file.open();
	const written = statSync(file.path).size;
	await goOn(session, async (world) => {
		assertQuiet(world);
		const folded = [...folds(world.last).keys()];
		assert.equal(folded.length, COUNT + 1, "each image, and the output of the turn before the last");
		const bytes = world.last.view.reduce((sum, message) => sum + message.length, 0);
		assert.ok(bytes < 200_000, `${bytes} go out`);
		assert.ok(statSync(file.path).size - written < 200_000, "what was folded is not written again");
		for (const number of [0, 17, COUNT - 1]) {
			const original = contentOf(world, `r${number}`) as ReturnType<typeof png>[];
			const [said, image] = (await blocksOf(world, `r${number}`)) as ReturnType<typeof png>[];
			assert.deepEqual(said, original[0]);
			assert.ok(image?.data === original[1]?.data && image?.mimeType === "image/png");
			assert.ok(image?.data === png(number, BYTES).data);
		}
	});
});

const JPEG = Buffer.from(
	`ffd8${"ffe00010"}${"00".repeat(14)}${"ffe10102"}${"ff".repeat(256)}${"ffc00011"}0802d00500030122`,
	"hex",
);
const GIF = Buffer.from("GIF89a\x20\x03\x58\x02", "latin1");
const riff = (rest: string) => Buffer.concat([Buffer.from("RIFF\0\0\0\0WEBP", "latin1"), Buffer.from(rest, "latin1")]);

const NAMES: [what: string, mimeType: string, data: Buffer | string, name: string][] = [
	["a PNG", "image/png", Buffer.from(png(1, 2_048, 64, 32).data, "base64"), "image/png 64x32, 2 KB"],
	["a JPEG behind other segments", "image/jpeg", JPEG, "image/jpeg 1280x720, 1 KB"],
	["a GIF", "image/gif", GIF, "image/gif 800x600, 1 KB"],
	["a lossy WebP", "image/webp", riff("VP8 \0\0\0\0\0\0\0\x9d\x01\x2a\x20\x03\x58\x02"), "image/webp 800x600, 1 KB"],
	["a lossless WebP", "image/webp", riff("VP8L\0\0\0\0\x2f\x1f\xc3\x95\x00"), "image/webp 800x600, 1 KB"],
	[
		"a WebP with chunks",
		"image/webp",
		riff("VP8X\0\0\0\0\0\0\0\0\x1f\x03\x00\x57\x02\x00"),
		"image/webp 800x600, 1 KB",
	],
	["a torn PNG", "image/png", Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1"), "image/png, 1 KB"],
	["a torn JPEG", "image/jpeg", Buffer.from("ffd8ffe00002ffe0", "hex"), "image/jpeg, 1 KB"],
	["nothing", "image/png", "", "image/png, 0 KB"],
	["no base64", "image/png", "\u0000\ud83d~~", "image/png, 1 KB"],
	["a type that says something else", "image/png]\n[folded by pi-zip", GIF, "image 800x600, 1 KB"],
	["a vector", "image/svg+xml", Buffer.from("<svg/>"), "image/svg+xml, 1 KB"],
];

for (const [what, mimeType, data, name] of NAMES) {
	test(`an image is named: ${what}`, () => {
		assert.equal(imageName({ data: typeof data === "string" ? data : data.toString("base64"), mimeType }), name);
	});
}
