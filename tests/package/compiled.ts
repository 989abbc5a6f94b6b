/** Pi as one executable with Bun inside, made from the npm package as Pi's own release is: the files that it reads lie beside it. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { ROOT } from "../host/home.ts";

const PACKAGE = join(ROOT, "node_modules/@earendil-works/pi-coding-agent");
const DIST = join(PACKAGE, "dist");

/** Settings of the project folder in which Pi is started are not the executable's. */
const BUILD = [
	"build",
	"--compile",
	"--no-compile-autoload-bunfig",
	"--no-compile-autoload-dotenv",
	"--compile-autoload-package-json",
];

/** Compiles Pi into `folder` and gives the executable's path. */
export function compilePi(folder: string): string {
	const executable = join(folder, "pi");
	const bun = join(ROOT, "node_modules/.bin/bun");
	execFileSync(bun, [...BUILD, join(DIST, "bun/cli.js"), "--outfile", executable], { cwd: folder, stdio: "pipe" });
	for (const file of ["package.json", "README.md", "CHANGELOG.md"]) cpSync(join(PACKAGE, file), join(folder, file));
	copyFiles(join(DIST, "modes/interactive/theme"), /\.json$/, join(folder, "theme"));
	copyFiles(join(DIST, "modes/interactive/assets"), /\.png$/, join(folder, "assets"));
	copyFiles(join(DIST, "core/export-html"), /\.html$/, join(folder, "export-html"));
	const photon = join(ROOT, "node_modules/@silvia-odwyer/photon-node/photon_rs_bg.wasm");
	cpSync(photon, join(folder, basename(photon)));
	return executable;
}

function copyFiles(from: string, fits: RegExp, to: string): void {
	mkdirSync(to, { recursive: true });
	for (const name of readdirSync(from)) if (fits.test(name)) cpSync(join(from, name), join(to, name));
}
