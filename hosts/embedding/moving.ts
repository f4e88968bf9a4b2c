// Waiting for something in a world whose time may stand still.

import type { Host } from "../host.js";
import type { SimulatedTime } from "../simulated/time.js";
import { turn } from "../simulated/turn.js";

/**
 * Resolves as `pending` does. A world that stands still is moved for it, event by event, unless others move it: an
 * engine that is opened or closed may wait for something that takes the world's time.
 */
export async function moving<T>(host: Host, pending: Promise<T>): Promise<T> {
  let ended = false;
  const end = (): void => void (ended = true);
  pending.then(end, end);
  const time = worldTime(host);
  while (!ended && time !== null) {
    const before = time.next;
    await turn();
    if (!ended && time.pace === "stopped" && time.next === before) await time.step();
  }
  return pending;
}

/** The host's time, if it is one that can stand still. */
function worldTime({ timers }: Host): SimulatedTime | null {
  return "pace" in timers && "step" in timers ? (timers as SimulatedTime) : null;
}
