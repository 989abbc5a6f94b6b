// What Pi loads first. Pi sends each ES module through Babel when it starts, so this file is tiny and hands over to one
// CommonJS bundle, which Pi's loader leaves alone. Pi's own module is passed on: only an import here is given the host's.

import { createRequire } from "node:module";
import * as host from "@earendil-works/pi-coding-agent";

const require = createRequire(import.meta.url);

/** @param {host.ExtensionAPI} pi */
export default (pi) => require("./extension.cjs").default(pi, host);
