// The options that clients choose for execs.

import type { Draw } from "../random.js";

/** The options and the command of an exec. */
export function drawExec(draw: Draw): string {
  const how = draw.one(["detached", "out", "in"]);
  const user = draw.weighted([
    [6, ""],
    [1, ",user=daemon"],
    [1, ",user=stranger"],
  ]);
  const command = draw.weighted([
    [3, "0 0"],
    [3, "100 3"],
    [3, "-1 0"],
    [1, "/no/such"],
    [1, "/bin"],
    [1, "rm /etc/group"],
  ]);
  return `${how}${user} ${command}`;
}
