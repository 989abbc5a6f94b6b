/** The core's rule, as the built module gives it. */

import { readFileSync } from "node:fs";
import { findOrphans, initSync } from "../../build/core/core.js";

initSync({ module: readFileSync(new URL("../../build/core/core_bg.wasm", import.meta.url)) });

export { findOrphans };
