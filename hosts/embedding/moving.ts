// Waits for something in a world whose time may stand still.

import { within } from "../engine/index.js";
import { turn } from "../shared/index.js";
import type { Host } from "../shared/index.js";
import type { SimulatedTime } from "../simulated/index.js";

/** How often to check a world that moves by itself: it may be stopped meanwhile. */
const LOOK_MS = 10;

/**
 * Settles like `pending`. If the world's time stands still and nobody else moves it, moves it event by event: an engine
 * that is opened or closed may wait for something that takes the world's time.
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

/** Moves it by one event, if nothing else has moved it meanwhile and it is still necessary. */
async function moved(time: SimulatedTime, ended: () => boolean): Promise<void> {
  const before = time.next;
  await turn();
  if (!ended() && time.pace === "stopped" && time.next === before) await time.step();
}

/** The host's time, if it can stand still. */
function worldTime({ timers }: Host): SimulatedTime | null {
  return "pace" in timers && "step" in timers ? (timers as SimulatedTime) : null;
}
