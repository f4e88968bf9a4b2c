// The world's time at the selected moment.

import { useEffect, useState } from "preact/hooks";
import type { Pace } from "../../../simulated/index.js";
import { useSession } from "../context.js";
import { clockTime } from "../words.js";

const SECOND_MS = 1000;
/** While the world is slowed down, a visitor watches milliseconds. */
const SLOW_MS = 100;

export function Clock() {
  const session = useSession();
  const looking = session.looking.value;
  const pace = looking === null ? session.pace.value : "stopped";
  void session.changes.value;
  const [, redraw] = useState(0);
  const wall = looking === null ? session.now().wall : (session.steps.value[looking]?.wall ?? 0n);
  const wait = redrawnAfter(pace, wall);
  useEffect(() => {
    if (wait === null) return;
    const timer = setTimeout(() => redraw((drawn) => drawn + 1), wait);
    return () => clearTimeout(timer);
  });
  return (
    <time class="clock wire" aria-label="Time of the world">
      {isRunning(pace) ? clockTime(wall).slice(0, "00:00:00".length) : clockTime(wall)}
    </time>
  );
}

/** Then it shows whole seconds. */
function isRunning(pace: Pace): boolean {
  return typeof pace === "object" && pace.times >= 1;
}

/** Milliseconds until it shows another second, at most one redraw a second; null if that takes another event. */
function redrawnAfter(pace: Pace, wall: bigint): number | null {
  if (typeof pace !== "object") return null;
  if (!isRunning(pace)) return SLOW_MS;
  const restMs = SECOND_MS - Number((wall / 1_000_000n) % BigInt(SECOND_MS));
  return (restMs + SECOND_MS * (pace.times - 1)) / pace.times;
}
