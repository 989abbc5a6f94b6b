// Makes what is published: for Pi and for the command line one CommonJS bundle each of the TypeScript and the generated
// glue, and the modules beside them. One bundle for Pi, since it sends each ES module through Babel when it starts; one of
// its own for the command line, so that Pi loads none of it.

import { copyFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { brotliCompressSync } from "node:zlib";

/** The bundle's own address. `import.meta` does not exist in CommonJS, and the sources name files by it. */
const BANNER = `const bundleUrl = require("node:url").pathToFileURL(__filename).href;`;

/** What the bundles need of Node: Pi runs 22, `npx` whatever the user has that the package allows. */
const BUNDLES = [
	{ entry: "src-ts/index.ts", output: "pkg-js/extension.cjs", target: "node22", banner: BANNER },
	{ entry: "cli/main.ts", output: "pkg-js/cli.cjs", target: "node20", banner: `#!/usr/bin/env node\n${BANNER}` },
];
/** The modules as they are generated below build/. Only what Pi loads must be quick to load. */
const CORE = { built: "build/core/core_bg.wasm", output: "pkg-js/core_bg.wasm" };
const LAB = { built: "build/lab/lab_bg.wasm", output: "pkg-js/lab_bg.wasm.br" };

export const BUNDLE_OUTPUTS = [...BUNDLES.map(({ output }) => output), CORE.output, LAB.output];

/** @param {string} root */
export async function bundle(root) {
	const esbuild = await import(pathToFileURL(join(root, "node_modules/esbuild/lib/main.js")).href);
	mkdirSync(join(root, "pkg-js"), { recursive: true });
	for (const { entry, output, target, banner } of BUNDLES) {
		const result = await esbuild.default.build({
			absWorkingDir: root,
			entryPoints: [entry],
			bundle: true,
			write: false,
			format: "cjs",
			platform: "node",
			target,
			// Pi hands its own modules over at run time; a second copy of them would not be the host's.
			external: ["@earendil-works/*"],
			// Names stay, so that a stack trace which a user reports can be read.
			minifyWhitespace: true,
			minifySyntax: true,
			lineLimit: 200,
			legalComments: "none",
			banner: { js: banner },
			define: { "import.meta.url": "bundleUrl" },
			logLevel: "silent",
		});
		replace(join(root, output), (path) => writeFileSync(path, result.outputFiles[0].contents, { mode: 0o755 }));
	}
	replace(join(root, CORE.output), (path) => copyFileSync(join(root, CORE.built), path));
	const small = brotliCompressSync(readFileSync(join(root, LAB.built)));
	replace(join(root, LAB.output), (path) => writeFileSync(path, small));
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
