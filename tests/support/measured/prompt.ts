// Checks that /_ping is answered promptly during a test.
import { expect } from "vitest";
import type { EngineKind, RunningEngine } from "../engines.js";
import { probePings, type Pings } from "./ping-probe.js";

/** Returns the result of `act` if pings were prompt meanwhile. */
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

/** Number of pings that garbage collection may delay. */
const FEW = 2;
/**
 * The same for an engine that runs the containers' programs itself and has many concurrent clients, or one in a
 * hundred.
 */
const FEW_OF_WORLD = 5;

/**
 * Limits of 50 ms. For a real daemon: the median as the client sees it, even on a busy machine. For all: the engine's
 * own work exceeds it only in a few pings, or one in a thousand (for the simulated one, one in a hundred).
 */
function expectPrompt({ failed, ...figures }: Pings, what: string, kind: EngineKind): void {
  console.log(`${what} on ${kind}: ${JSON.stringify(figures)}`);
  expect(failed).toBe(0);
  if (kind === "linux") expect(figures.median).toBeLessThan(50);
  const few = kind === "linux" ? Math.max(FEW, figures.count / 1000) : Math.max(FEW_OF_WORLD, figures.count / 100);
  expect(figures.slow).toBeLessThanOrEqual(few);
}
