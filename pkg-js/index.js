// What Pi loads first. Pi sends each ES module through Babel when it starts, so this file is tiny and hands over to one
// CommonJS bundle, which Pi's loader leaves alone. Pi's own modules are passed on: only imports here are given the host's.

import { createRequire } from "node:module";
import * as pi from "@earendil-works/pi-coding-agent";
import * as tui from "@earendil-works/pi-tui";

const require = createRequire(import.meta.url);

/** @param {pi.ExtensionAPI} api */
export default (api) => require("./extension.cjs").default(api, { pi, tui });
