/** A process that works through a day with a cold return in it, and then has nothing left to do. */

import { clock } from "../../world/clock.ts";
import { LIFETIME } from "../../world/model.ts";
import { folds, World } from "../../world/pi.ts";
import { task, taskPrompts } from "../../world/tasks.ts";

const [mode, ending] = process.argv.slice(2);
const world = await World.open({ mode: mode === "print" ? "print" : "rpc" });
await taskPrompts(world, 4);
clock.advance(LIFETIME);
await world.prompt("Back again.", task(10));
if (folds(world.last).size === 0) throw new Error("nothing was folded");
if (ending === "stopped") await world.stop();
process.stdout.write("done\n");
