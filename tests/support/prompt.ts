// That /_ping is answered promptly throughout whatever a test does to an engine.
import { expect } from "vitest";
import type { EngineKind, RunningEngine } from "./engines.js";
import { probePings, type Pings } from "./ping-probe.js";

/** What `act` gives, if pings beside it were prompt. */
export async function promptly<T>(engine: RunningEngine, what: string, act: () => Promise<T>): Promise<T> {
  const probe = probePings(engine.daemon);
  await probe.begun;
  try {
    const result = await act();
    expectPrompt(await probe.end(), what, engine.kind);
    return result;
  } catch (error) {
    await probe.end().catch(() => {});
    throw error;
  }
}

/** Pings that a collection of garbage may fall upon. */
const FEW = 2;
/** The same, and many clients who come at once, where the engine itself runs what is in containers: or one in a hundred. */
const FEW_OF_WORLD = 5;

/**
 * Under 50 ms: half of all as a client sees them, though others keep processors and disks busy (a daemon that runs for
 * real comes before most of them); all but a few, or one in a thousand, as far as that is the engine's own work.
 */
function expectPrompt({ failed, ...figures }: Pings, what: string, kind: EngineKind): void {
  console.log(`${what} on ${kind}: ${JSON.stringify(figures)}`);
  expect(failed).toBe(0);
  if (kind === "linux") expect(figures.median).toBeLessThan(50);
  const few = kind === "linux" ? Math.max(FEW, figures.count / 1000) : Math.max(FEW_OF_WORLD, figures.count / 100);
  expect(figures.slow).toBeLessThanOrEqual(few);
}
