// What containers and images of a story are called, and what clients wish of containers.

import type { Draw } from "../random.js";
import { HONEST, LYING } from "../worlds/liar.js";

export const NAMES: readonly string[] = ["anna", "bert", "cleo", "dora"];
/** Of the simulated catalogue; the first is there from the start. */
export const IMAGES: readonly string[] = ["busybox:latest", "busybox:musl", "hello-world:latest", "alpine:latest"];

export function drawImage(draw: Draw): string {
  return draw.weighted([
    [8, "busybox:latest"],
    [1, "busybox:musl"],
    [1, "alpine:latest"],
    [1, "made:latest"],
    [1, "nothing:here"],
  ]);
}

/** From a registry that mostly lies, now and then. */
export function drawPulled(draw: Draw): string {
  return draw.one([draw.one(IMAGES), draw.one(IMAGES), draw.one([HONEST, ...LYING])]);
}

export function drawWishes(draw: Draw): string {
  const manners = draw.some([
    [4, "stubborn"],
    [3, "noisy"],
    [6, "greedy"],
    [8, "reads"],
  ]);
  const life = draw.one(["-1", "-1", "0", "5", "50", "200", "1500"]);
  const other = draw.one(NAMES);
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
    [16, `healthy=${draw.one(["0", "1"])}`],
    [8, "memory=64"],
    [8, "stdin"],
    [8, "tty"],
  ]);
  const net = draw.one(["none", "bridge", "bridge", draw.one(["host", `container:${other}`])]);
  return [`job=${[life, draw.one(["0", "3"]), ...manners].join(",")}`, `net=${net}`, ...wishes].join(" ");
}
