// Makes what Pi loads: one CommonJS bundle of the TypeScript and the generated glue, and the module beside it.
// One bundle, since Pi sends each ES module through Babel when it starts.

import { copyFileSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** The bundle's own address. `import.meta` does not exist in CommonJS, and the sources name files by it. */
const BANNER = `const bundleUrl = require("node:url").pathToFileURL(__filename).href;`;

/** @param {string} root */
export async function bundle(root) {
	const esbuild = await import(pathToFileURL(join(root, "node_modules/esbuild/lib/main.js")).href);
	const result = await esbuild.default.build({
		absWorkingDir: root,
		entryPoints: ["src-ts/index.ts"],
		bundle: true,
		write: false,
		format: "cjs",
		platform: "node",
		target: "node22",
		// Pi hands its own modules over at run time; a second copy of them would not be the host's.
		external: ["@earendil-works/*"],
		// Names stay, so that a stack trace which a user reports can be read.
		minifyWhitespace: true,
		minifySyntax: true,
		lineLimit: 200,
		legalComments: "none",
		banner: { js: BANNER },
		define: { "import.meta.url": "bundleUrl" },
		logLevel: "silent",
	});
	const out = join(root, "pkg-js");
	mkdirSync(out, { recursive: true });
	replace(join(out, "extension.cjs"), (path) => writeFileSync(path, result.outputFiles[0].contents));
	replace(join(out, "core_bg.wasm"), (path) => copyFileSync(join(root, "build/core/core_bg.wasm"), path));
}

/**
 * Writes beside the file and renames, so that a Pi that starts meanwhile never reads half of it.
 *
 * @param {string} path
 * @param {(temporary: string) => void} write
 */
function replace(path, write) {
	const temporary = `${path}.${process.pid}.new`;
	write(temporary);
	renameSync(temporary, path);
}
