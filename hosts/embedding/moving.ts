// Waiting for something in a world whose time may stand still.

import { within } from "../engine/index.js";
import type { Host } from "../shared/host.js";
import type { SimulatedTime } from "../simulated/time.js";
import { turn } from "../shared/turn.js";

/** How often a world that moves by itself is looked at: it may be stopped meanwhile. */
const LOOK_MS = 10;

/**
 * Resolves as `pending` does. A world that stands still is moved for it, event by event, unless others move it: an
 * engine that is opened or closed may wait for something that takes the world's time.
 */
export async function moving<T>(host: Host, pending: Promise<T>): Promise<T> {
  let ended = false;
  const end = (): void => void (ended = true);
  const over = pending.then(end, end);
  const time = worldTime(host);
  while (!ended && time !== null) {
    if (time.pace === "stopped") await moved(time, () => ended);
    else await within(LOOK_MS, over);
  }
  return pending;
}

/** By one event, if nothing else moves it in the meantime and there is still need. */
async function moved(time: SimulatedTime, ended: () => boolean): Promise<void> {
  const before = time.next;
  await turn();
  if (!ended() && time.pace === "stopped" && time.next === before) await time.step();
}

/** The host's time, if it is one that can stand still. */
function worldTime({ timers }: Host): SimulatedTime | null {
  return "pace" in timers && "step" in timers ? (timers as SimulatedTime) : null;
}
