/** Headless Chromium, driven through its own protocol, as far as a page of ours must be looked at by a real browser. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";

/** No test may reach a network: neither the browser's own services nor anything that a page asks for. */
const FLAGS = [
	"--headless",
	"--no-sandbox",
	"--disable-gpu",
	"--disable-quic",
	"--no-first-run",
	"--disable-background-networking",
	"--disable-component-update",
	"--disable-sync",
	"--remote-debugging-port=0",
	"about:blank",
];

export interface Event {
	method: string;
	params: Record<string, unknown>;
}

/** Where Chromium is, or undefined. */
export function findBrowser(): string | undefined {
	const folders = (process.env.PATH ?? "").split(delimiter);
	const names = ["chromium", "chromium-browser", "google-chrome"];
	return folders.flatMap((folder) => names.map((name) => join(folder, name))).find((path) => existsSync(path));
}

export class Browser {
	/** What the page told of since it was opened. */
	readonly events: Event[] = [];
	readonly #process: ChildProcess;
	readonly #profile: string;
	readonly #socket: WebSocket;
	readonly #waiting = new Map<number, (message: { result?: unknown; error?: unknown }) => void>();
	#session: string | undefined;
	#calls = 0;

	private constructor(process: ChildProcess, profile: string, socket: WebSocket) {
		this.#process = process;
		this.#profile = profile;
		this.#socket = socket;
		socket.addEventListener("message", ({ data }) => {
			const message = JSON.parse(String(data));
			if (message.id === undefined) this.events.push(message);
			else this.#waiting.get(message.id)?.(message);
		});
	}

	static async start(path: string): Promise<Browser> {
		const profile = mkdtempSync(join(tmpdir(), "pi-zip-browser-"));
		const child = spawn(path, [...FLAGS, `--user-data-dir=${profile}`], { stdio: ["ignore", "ignore", "pipe"] });
		let address: string | undefined;
		for await (const line of createInterface({ input: child.stderr })) {
			address = /^DevTools listening on (ws:\S+)/.exec(line)?.[1];
			if (address !== undefined) break;
		}
		if (address === undefined) throw new Error(`${path} opened no port`);
		child.stderr.resume();
		const socket = new WebSocket(address);
		await new Promise((done, fail) => {
			socket.addEventListener("open", done);
			socket.addEventListener("error", fail);
		});
		const browser = new Browser(child, profile, socket);
		const { targetId } = await browser.call<{ targetId: string }>("Target.createTarget", { url: "about:blank" });
		const attached = await browser.call<{ sessionId: string }>("Target.attachToTarget", { targetId, flatten: true });
		browser.#session = attached.sessionId;
		for (const domain of ["Page", "Runtime", "Log", "Network"]) await browser.call(`${domain}.enable`);
		return browser;
	}

	async call<T>(method: string, params: object = {}): Promise<T> {
		const id = ++this.#calls;
		const answer = new Promise<{ result?: unknown; error?: unknown }>((done) => this.#waiting.set(id, done));
		this.#socket.send(JSON.stringify({ id, method, params, sessionId: this.#session }));
		const { result, error } = await answer;
		this.#waiting.delete(id);
		if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
		return result as T;
	}

	async open(url: string, width: number, height: number, dark = false): Promise<void> {
		const features = [{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }];
		await this.call("Emulation.setEmulatedMedia", { features });
		await this.call("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: width < 600 });
		this.events.length = 0;
		await this.call("Page.navigate", { url });
		while (!this.events.some(({ method }) => method === "Page.loadEventFired")) await this.evaluate("0");
	}

	/** The value of an expression in the page. */
	async evaluate<T>(expression: string): Promise<T> {
		const { result } = await this.call<{ result: { value: T } }>("Runtime.evaluate", {
			expression,
			returnByValue: true,
			awaitPromise: true,
		});
		return result.value;
	}

	/** A key as a person presses it. */
	async press(key: string): Promise<void> {
		const code = { Tab: 9, Escape: 27, ArrowRight: 39, ArrowLeft: 37, Home: 36, End: 35 }[key];
		const about = { key, code: key, windowsVirtualKeyCode: code };
		await this.call("Input.dispatchKeyEvent", { type: "rawKeyDown", ...about });
		await this.call("Input.dispatchKeyEvent", { type: "keyUp", ...about });
		await this.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
	}

	async point(x: number, y: number): Promise<void> {
		await this.call("Input.dispatchMouseEvent", { type: "mouseMoved", x, y });
	}

	async close(): Promise<void> {
		const ended = new Promise((done) => this.#process.once("exit", done));
		this.#session = undefined;
		await this.call("Browser.close").catch(() => this.#process.kill());
		await ended;
		this.#socket.close();
		rmSync(this.#profile, { recursive: true, force: true, maxRetries: 5 });
	}
}
