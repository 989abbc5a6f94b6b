/** A report in headless Chromium: nothing planted runs, it fits a phone, and pointer and keyboard show what a mark is. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { Browser, findBrowser } from "./browser.ts";
import { run, scratch, session, write } from "./session.ts";

const EVIL = `</title></style></script><script>document.title = "taken"</script><img src=x onerror="document.title = 'taken'">`;

const path = findBrowser();
if (path === undefined) test("a report in a browser", { skip: "no Chromium on the PATH" });
else {
	const cwd = scratch();
	const file = write(
		join(cwd, "evil.jsonl"),
		session({ cwd: `/srv/${EVIL}`, model: EVIL, command: EVIL, output: EVIL }),
	);
	assert.equal(run(["report", file, "-o", join(cwd, "evil.html")], { cwd }).status, 0);
	const url = pathToFileURL(join(cwd, "evil.html")).href;
	const browser = await Browser.start(path);
	after(() => browser.close());

	test("nothing planted runs, nothing is loaded, and the page's own style and script are let through", async () => {
		await browser.open(url, 1200, 900);
		assert.notEqual(await browser.evaluate("document.title"), "taken");
		assert.equal(await browser.evaluate("document.images.length + document.querySelectorAll('main script').length"), 0);
		const asked = browser.events.filter(({ method }) => method === "Network.requestWillBeSent");
		assert.deepEqual(
			asked.map(({ params }) => (params.request as { url: string }).url),
			[url],
		);
		const complaints = browser.events.filter(({ method }) =>
			["Log.entryAdded", "Runtime.exceptionThrown"].includes(method),
		);
		assert.deepEqual(complaints, []);
	});

	test("a script that got into the page would not run", async () => {
		await browser.evaluate(
			`document.body.insertAdjacentHTML("beforeend", "<img src=x onerror=\\"document.title='taken'\\">")`,
		);
		await browser.evaluate(
			`document.body.append(Object.assign(document.createElement("script"), { text: "document.title='taken'" }))`,
		);
		await browser.evaluate("new Promise((done) => setTimeout(done, 50))");
		assert.notEqual(await browser.evaluate("document.title"), "taken");
	});

	test("the page fits a phone and a wide screen, in light and in dark", async () => {
		const papers = new Set<string>();
		for (const [width, dark] of [
			[360, false],
			[360, true],
			[1200, false],
			[1200, true],
		] as const) {
			await browser.open(url, width, 800, dark);
			assert.ok((await browser.evaluate<number>("document.documentElement.scrollWidth")) <= width);
			papers.add(await browser.evaluate("getComputedStyle(document.body).backgroundColor"));
		}
		assert.equal(papers.size, 2);
	});

	test("the keyboard goes from request to request and from mark to mark", async () => {
		const tip = () => browser.evaluate<string>("document.getElementById('tip').innerText");
		await browser.open(url, 1200, 900);
		await browser.press("Tab");
		assert.equal(await browser.evaluate("document.activeElement.id"), "chart");
		await browser.press("ArrowRight");
		await browser.press("ArrowRight");
		assert.match(await tip(), /^Request 2 /);
		await browser.press("End");
		assert.match(await tip(), /^Request 4 /);
		await browser.press("Tab");
		assert.match(await tip(), /^Folded 1 output\n[\s\S]*onerror/);
		await browser.press("Escape");
		assert.equal(await browser.evaluate("document.getElementById('tip').hidden"), true);
	});

	test("the pointer shows what a mark and a bar are", async () => {
		await browser.open(url, 1200, 900);
		const middle = (of: string) =>
			browser.evaluate<{ x: number; y: number }>(
				`(() => { const box = document.querySelector("${of}").getBoundingClientRect(); return { x: box.x + box.width / 2, y: box.y + box.height / 2 }; })()`,
			);
		for (const [of, says] of [
			[".mark", /^Folded 1 output/],
			["svg .p-output", /^Request 1 [\s\S]*Answers/],
		] as const) {
			const { x, y } = await middle(of);
			await browser.point(x, y);
			assert.match(await browser.evaluate<string>("document.getElementById('tip').innerText"), says);
		}
	});
}
