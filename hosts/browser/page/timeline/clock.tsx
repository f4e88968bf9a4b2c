// The world's time at the selected moment.

import { useEffect, useState } from "preact/hooks";
import { useSession } from "../context.js";
import { clockTime } from "../words.js";

const REDRAW_MS = 100;

export function Clock() {
  const session = useSession();
  const looking = session.looking.value;
  const [, redraw] = useState(0);
  useEffect(() => {
    if (looking !== null) return;
    const timer = setInterval(() => redraw((drawn) => drawn + 1), REDRAW_MS);
    return () => clearInterval(timer);
  }, [looking]);
  const wall = looking === null ? session.now().wall : (session.steps.value[looking]?.wall ?? 0n);
  return (
    <time class="clock wire" aria-label="Time of the world">
      {clockTime(wall)}
    </time>
  );
}
