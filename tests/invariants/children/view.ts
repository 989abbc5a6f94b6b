/** Resumes a session file after its cache has expired, and writes what the model then sees. */

import { SessionManager } from "@earendil-works/pi-coding-agent";
import { clock } from "../../world/clock.ts";
import { World } from "../../world/pi.ts";

const [file = ""] = process.argv.slice(2);
clock.advance(9e8);
const world = await World.open({ session: SessionManager.open(file) });
await world.prompt("Back again.", [{ text: "Here." }]);
const { view, plain, ids } = world.last;
const folded = view.flatMap((message, index) => (message === plain[index] ? [] : [[ids[index], message]]));
process.stdout.write(JSON.stringify(folded));
await world.stop();
