// The images of a story, and the options that clients choose for containers.

import type { Draw } from "../random.js";
import { HONEST, LYING } from "../worlds/liar.js";
import type { Cast } from "./cast.js";

/** Images of the simulated catalogue. The first one is present from the start. */
export const IMAGES: readonly string[] = ["busybox:latest", "busybox:musl", "hello-world:latest", "alpine:latest"];

export function drawImage(draw: Draw): string {
  return draw.weighted([
    [20, "busybox:latest"],
    [1, "busybox:musl"],
    [1, "alpine:latest"],
    [1, "made:latest"],
    [1, "nothing:here"],
  ]);
}

/** Sometimes from a registry whose images are mostly wrong. */
export function drawPulled(draw: Draw): string {
  return draw.one([draw.one(IMAGES), draw.one(IMAGES), draw.one([HONEST, ...LYING])]);
}

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

export function drawWishes(draw: Draw, cast: Cast): string {
  const manners = draw.some([
    [4, "stubborn"],
    [3, "noisy"],
    [6, "greedy"],
    [8, "reads"],
  ]);
  const life = draw.one(["-1", "-1", "-1", "-1", "0", "5", "50", "200", "1500"]);
  const other = draw.one(cast.known);
  const wishes = draw.some([
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
    [16, `mount=${draw.one(["/etc", "/etc", "/nowhere"])}`],
    [40, "over=/proc/self"],
    [24, `command=${draw.one(["/no/such", "/bin"])}`],
  ]);
  const net = draw.one(["none", "bridge", "bridge", draw.one(["host", `container:${other}`])]);
  return [`job=${[life, draw.one(["0", "3"]), ...manners].join(",")}`, `net=${net}`, ...wishes].join(" ");
}

/** A health check: healthy, unhealthy or changing, with or without a start period. */
function drawHealth(draw: Draw): string {
  const codes = draw.one(["0", "1", "0.1.1.0", "1.1.never.0", "2.0.0.1", "never", "0.never.1"]);
  const grace = draw.one(["0,0", "0,0", "1000,200", "5000,300", "300,0"]);
  return [codes, draw.one([50, 500, 500, 2000]), draw.one([1, 2, 3]), grace].join(",");
}
