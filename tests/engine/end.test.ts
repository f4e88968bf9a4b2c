// When the time of an orderly shutdown begins to count, by a host's clock.

import { describe, expect, test } from "vitest";
import { End } from "../../hosts/engine/end.js";
import { HandClock } from "../driver/fake.js";

const HOUR_NS = 3_600_000_000_000n;

describe("the time of a shutdown counts from its request", () => {
  test("where time stands still", async () => {
    const clock = new HandClock();
    const asked = clock.now().monotonic;
    const end = new End(clock);
    await passes(20);
    expect(end.since()).toBe(asked);
  });

  test("where time jumps, as if only the real time had passed", async () => {
    const clock = new HandClock();
    const before = performance.now();
    const end = new End(clock);
    clock.advance(HOUR_NS);
    await passes(20);
    const ago = clock.now().monotonic - end.since();
    expect(ago).toBeGreaterThanOrEqual(20_000_000n);
    expect(Number(ago) / 1e6).toBeLessThanOrEqual(performance.now() - before + 1);
  });
});

/** Waits this many milliseconds of real time. */
async function passes(ms: number): Promise<void> {
  const over = performance.now() + ms;
  while (performance.now() < over) await new Promise((resolve) => setTimeout(resolve, 1));
}
