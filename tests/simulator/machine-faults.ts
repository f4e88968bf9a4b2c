// Draws faults of the machine: power, sleep, ports, records. Few stories have them. They have their own sequence, so
// that a seed's other draws stay the same.

import { Draw } from "./random.js";

/** Most stories have none. */
const ONCE_IN = [1_000_000, 1_000_000, 1_000_000, 120, 60, 30];

/** Yields a rare fault, or null if there is none this time. */
export function* machineFaults(seed: number): Generator<string | null, never> {
  const draw = new Draw(seed, "rare faults");
  const onceIn = draw.one(ONCE_IN);
  for (;;) yield draw.onceIn(onceIn) ? drawFault(draw) : null;
}

function drawFault(draw: Draw): string {
  return draw.weighted<() => string>([
    [3, () => `hold ${draw.one([8080, 32768, 32769])}`],
    [2, () => `snatch ${draw.one([1, 2, 30])}`],
    [3, () => `reload ${draw.below(1000)}`],
    [2, () => `suspend ${draw.one([1, 60, 3600, 86_400])}${draw.one(["", " counted"])}`],
    [3, () => `reboot ${draw.one([0, 500, 30_000])}`],
    [1, () => `power-loss ${draw.below(7)} ${draw.one([0, 500])}`],
    [1, () => `damage ${drawRecord(draw)} ${draw.one(["torn", "empty", "lost"])}`],
    [1, () => `damage journal/ ${draw.one(["torn", "flipped", "lost"])} ${draw.below(1000)}`],
    [2, () => `read ${draw.one(["fail", "slow"])} ${drawRead(draw)} ${1 + draw.below(2)}`],
  ])();
}

function drawRecord(draw: Draw): string {
  return draw.one(["container/", "container/", "volume/", "network/", "image/", "config/", "layer/", "reference/"]);
}

function drawRead(draw: Draw): string {
  return draw.one(["records", "journal", "page", "inventory"]);
}
