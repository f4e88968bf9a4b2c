// A container's log, up to the selected moment.

import { useEffect, useState } from "preact/hooks";
import type { LogEntry } from "../../session/session.js";
import { useSession } from "../context.js";
import { clockTime } from "../words.js";

const LAST_LINES = 50;
/** Output does not pass through the core, so no step announces it. */
const LOOK_AGAIN_MS = 500;

export function Logs({ container }: { container: string }) {
  const session = useSession();
  const looking = session.looking.value;
  const [lines, setLines] = useState<readonly LogEntry[]>([]);
  useEffect(() => {
    let left = false;
    const look = async (): Promise<void> => {
      const found = await session.logs(container);
      if (!left) setLines(found.slice(-LAST_LINES));
    };
    void look();
    const timer = looking === null ? setInterval(() => void look(), LOOK_AGAIN_MS) : undefined;
    return () => {
      left = true;
      clearInterval(timer);
    };
  }, [session, container, looking]);
  return (
    <div>
      <h4>Log</h4>
      <pre class="body" tabIndex={0} role="group" aria-label="Log">
        {lines.map((line, at) => (
          <span key={at} class={line.stream}>
            <span class="muted">{clockTime(line.at).slice(0, 8)} </span>
            {`${line.text.replace(/\n$/, "")}\n`}
          </span>
        ))}
        {lines.length === 0 && <span class="muted">No output.</span>}
      </pre>
    </div>
  );
}
