// Blocks of tests that run against each engine, and blocks that say what is missing for them.
import { afterAll, beforeAll, describe, test } from "vitest";
import { engines, RunningEngine, startWithBusybox, type EngineKind } from "./engines.js";

/** One block of tests an engine, which is started before them and ended after them. */
export function onEngines(
  title: string,
  body: (engine: () => RunningEngine, kind: EngineKind) => void,
  { flags = [], missing = null }: { flags?: readonly string[]; missing?: string | null } = {},
): void {
  for (const engine of engines()) {
    describeUnless(engine.missing ?? missing, `${title} on ${engine.kind}`, () => {
      let running: RunningEngine | null = null;
      beforeAll(async () => {
        running = new RunningEngine(engine, await startWithBusybox(engine, flags));
      });
      afterAll(async () => running?.daemon.close());
      body(() => {
        if (running === null) throw new Error("the engine is not running");
        return running;
      }, engine.kind);
    });
  }
}

/** A block of tests, or, where something is missing, one skipped test that says what. */
export function describeUnless(missing: string | null, title: string, body: () => void): void {
  if (missing === null) describe(title, body);
  else test(title, ({ skip }) => skip(missing));
}

/** `test` where it applies, and nothing where there is nothing to be expected of that engine. */
export function testIf(applies: boolean): (name: string, body: () => Promise<void>) => void {
  return applies ? test : () => {};
}
