// The options that clients choose for containers.

import type { Draw } from "../random.js";
import type { Cast } from "./cast.js";

export function drawOptions(draw: Draw, cast: Cast): string {
  const manners = draw.some([
    [4, "stubborn"],
    [3, "noisy"],
    [6, "greedy"],
    [8, "reads"],
  ]);
  const life = draw.one(["-1", "-1", "-1", "-1", "0", "5", "50", "200", "1500"]);
  const other = draw.one(cast.known);
  const options = draw.some([
    [5, "auto"],
    [5, "port=8080"],
    [8, "port="],
    [8, "volume"],
    [8, "named"],
    [12, `shared=${other}`],
    [14, `joined=${other}`],
    [9, `linked=${other}`],
    [8, `policy=${draw.one(["always", "unless-stopped", "on-failure:2"])}`],
    [8, `healthy=${drawHealth(draw)}`],
    [8, "memory=64"],
    [8, "stdin"],
    [8, "tty"],
    [10, "open"],
    [40, "wordy"],
    [12, "memory-volume"],
    [16, `mount=${draw.one(["/etc", "/etc", "/nowhere"])}`],
    [40, "over=/proc/self"],
    [24, `command=${draw.one(["/no/such", "/bin"])}`],
  ]);
  const net = draw.one(["none", "bridge", "bridge", draw.one(["host", "own", "own", "other", `container:${other}`])]);
  return [`job=${[life, draw.one(["0", "3"]), ...manners].join(",")}`, `net=${net}`, ...options].join(" ");
}

/** A health check: healthy, unhealthy or changing, with or without a start period. */
function drawHealth(draw: Draw): string {
  const codes = draw.one(["0", "1", "0.1.1.0", "1.1.never.0", "2.0.0.1", "never", "0.never.1"]);
  const grace = draw.one(["0,0", "0,0", "1000,200", "5000,300", "300,0"]);
  return [codes, draw.one([250, 500, 500, 2000]), draw.one([1, 2, 3]), grace].join(",");
}
