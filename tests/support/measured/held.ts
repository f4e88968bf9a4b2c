// What an engine uses on its machine, before and after many operations: at the end it must be the same.
import { expect } from "vitest";
import { recordsOf, takeCensus } from "./census.js";
import { pause, until } from "../commands.js";
import type { RunningEngine } from "../engines.js";

/** What a real daemon uses in addition to open files, including these containers' cgroups. Null for a simulated one. */
async function heldBy(engine: RunningEngine, ids: readonly string[]): Promise<object | null> {
  if (engine.kind === "simulated") return null;
  const { openFiles: _, ...census } = await takeCensus(engine.daemon, ids);
  return { ...census, records: recordsOf(engine.daemon) };
}

/** Returns the stable state: unchanged for longer than any cleanup after an answer takes. */
export async function heldWhenCalm(engine: RunningEngine, ids: readonly string[] = []): Promise<object | null> {
  let last = await heldBy(engine, ids);
  await until("what is held stays the same", async () => {
    await pause(500);
    const before = JSON.stringify(last);
    last = await heldBy(engine, ids);
    return JSON.stringify(last) === before;
  });
  return last;
}

/** Expects the same as before. Cleanup after an answer may take a moment. */
export async function expectNothingOf(
  ids: readonly string[],
  engine: RunningEngine,
  before: object | null,
): Promise<void> {
  let now = await heldBy(engine, ids);
  const isCalm = async (): Promise<boolean> => {
    now = await heldBy(engine, ids);
    return JSON.stringify(now) === JSON.stringify(before);
  };
  await until("calm", isCalm).catch(() => {});
  expect(now).toEqual(before);
}
