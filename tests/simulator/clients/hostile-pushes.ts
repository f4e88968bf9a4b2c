// Draws pushes to a registry that fails at any point of them (worlds/taker.ts). They have their own sequence, so that a
// seed's other draws stay the same.

import { Draw } from "../random.js";
import { TAKER } from "../worlds/taker.js";

/** Mutants are known to be found by seeds before this one, whose stories stay as they are. */
const FIRST_SEED = 61;
const ONCE_IN = [1_000_000, 60, 20];
const IMAGES: readonly string[] = ["busybox:latest", "made:latest", "alpine:latest"];

/** Yields the lines of a push, which are none in most cases. */
export function* hostilePushes(seed: number): Generator<string[], never> {
  const draw = new Draw(seed, "hostile pushes");
  const onceIn = seed < FIRST_SEED ? 1_000_000 : draw.one(ONCE_IN);
  for (;;) yield draw.onceIn(onceIn) ? drawPush(draw) : [];
}

/** By a polite client, who awaits its end, or by a rude one, who may hang up. */
function drawPush(draw: Draw): string[] {
  const client = draw.one(["polite1", "rude1"]);
  const name = `${TAKER}/${draw.one(["app", "other"])}`;
  const tag = `${client} tag ${draw.one(IMAGES)} ${name} 1`;
  const push = `${client} push ${name} 1`;
  return [
    tag,
    push,
    ...(client === "rude1" && draw.onceIn(2) ? [`work ${1 + draw.below(20)}`, "rude1 hang-up 0"] : []),
  ];
}
