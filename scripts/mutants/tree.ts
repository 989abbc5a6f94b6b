// A copy of the repository in which faults are planted, so that the work tree is never touched. It stays in the ignored
// build folder: its compiled dependencies are those of the repository, and only what a fault changes is compiled again.

import { execFileSync } from "node:child_process";
import {
	existsSync,
	lstatSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { dirname, join, sep } from "node:path";

/** Folders that the copy shares with the repository. */
const SHARED = ["node_modules", "target"];

/** What the copy builds for itself. */
const OWN = /^(?:build|pkg-js)(?:\/|$)/;

export class Tree {
	readonly root: string;
	readonly #from: string;

	constructor(from: string) {
		this.#from = from;
		this.root = join(from, "build/mutants");
		mkdirSync(this.root, { recursive: true });
		for (const name of SHARED) {
			mkdirSync(join(from, name), { recursive: true });
			const link = join(this.root, name);
			if (lstatSync(link, { throwIfNoEntry: false }) === undefined) symlinkSync(join(from, name), link);
		}
	}

	/** Makes the copy equal to the repository. A file that is equal already keeps its time, and is not compiled again. */
	sync(): void {
		const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
		const listed = execFileSync("git", args, { cwd: this.#from, encoding: "utf8" }).split("\0");
		const wanted = listed.filter((file) => file !== "" && existsSync(join(this.#from, file)));
		for (const file of wanted) this.write(file, readFileSync(join(this.#from, file)));
		const kept = new Set(wanted);
		for (const file of this.#files()) if (!kept.has(file) && !OWN.test(file)) rmSync(join(this.root, file));
	}

	read(file: string): string {
		return readFileSync(join(this.root, file), "utf8");
	}

	write(file: string, content: string | Uint8Array): void {
		const path = join(this.root, file);
		if (existsSync(path) && readFileSync(path).equals(Buffer.from(content))) return;
		mkdirSync(dirname(path), { recursive: true });
		writeFileSync(path, content);
	}

	#files(): string[] {
		const roots = readdirSync(this.root).filter((name) => !SHARED.includes(name));
		return roots.flatMap((name) => {
			const path = join(this.root, name);
			if (!lstatSync(path).isDirectory()) return [name];
			const below = readdirSync(path, { recursive: true, encoding: "utf8" });
			const files = below.filter((file) => !lstatSync(join(path, file)).isDirectory());
			return files.map((file) => `${name}/${file.split(sep).join("/")}`);
		});
	}
}
