// Which images clients pull, and which they create containers from.

import type { Draw } from "../random.js";
import { HONEST, LYING } from "../worlds/liar.js";

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
