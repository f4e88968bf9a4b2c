// What an engine holds of its machine, before and after many of anything: in the end the same.
import { expect } from "vitest";
import { recordsOf, takeCensus } from "./census.js";
import { pause, until } from "./commands.js";
import type { RunningEngine } from "./engines.js";

/** What a daemon that runs for real holds of its machine beside open files: cgroups of these. Null for one that pretends. */
async function heldBy(engine: RunningEngine, ids: readonly string[]): Promise<object | null> {
  if (engine.kind === "simulated") return null;
  const { openFiles: _, ...census } = await takeCensus(engine.daemon, ids);
  return { ...census, records: recordsOf(engine.daemon) };
}

/** What stays: it is the same for longer than anything that is taken down behind an answer takes. */
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

/** The same as before: what is taken down behind an answer may take a moment. */
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
