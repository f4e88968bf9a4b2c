// Containers for other questions: one that sleeps on each engine.
import type { RunningEngine } from "../tests/support/engines.js";

/** Returns the id of an engine's sleeping container. */
export type SleeperOf = (engine: RunningEngine) => string;

/** Starts one on each engine, and removes them when `act` is done. */
export async function withSleepers<T>(
  engines: readonly RunningEngine[],
  act: (sleeperOf: SleeperOf) => Promise<T>,
): Promise<T> {
  const ids = new Map<RunningEngine, string>();
  try {
    for (const engine of engines) ids.set(engine, await engine.running({ Cmd: ["sleep", "100000"] }));
    return await act((engine) => ids.get(engine) ?? "");
  } finally {
    for (const [engine, id] of ids) await engine.remove(id);
  }
}
