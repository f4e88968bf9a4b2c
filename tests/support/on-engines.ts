// Blocks of tests that run against each engine, and blocks that say what is missing for them.
import { afterAll, beforeAll, beforeEach, describe, inject, test, type TestOptions } from "vitest";
import { reasonNotToPretend } from "../simulated-limits.js";
import { engines, RunningEngine, startWithBusybox, type EngineKind } from "./engines.js";
import { borrow } from "./lending/borrowed.js";

/** The reference has races of its own (two of ten starts at once may both be 204): it is asked up to three times. */
const REFERENCE_RETRIES = 2;

type Flags = readonly string[];

/**
 * One block of tests an engine. It is lent to the block (lending/lender.ts) if it has no flags and the block does not ask
 * for its `own` (onOwnEngines): to end it, or to look at what it holds. Others are started before the tests and ended after them; ours
 * with `ownFlags`, too, the one that pretends with `simulatedFlags` as well, and ours with `nodeFlags` for Node.
 */
export function onEngines(
  title: string,
  body: (engine: () => RunningEngine, kind: EngineKind) => void,
  {
    flags = [],
    ownFlags = [],
    simulatedFlags = [],
    nodeFlags = [],
    own = false,
    missing = null,
  }: Partial<Record<"flags" | "ownFlags" | "simulatedFlags" | "nodeFlags", Flags>> & {
    own?: boolean;
    missing?: string | null;
  } = {},
): void {
  for (const engine of engines()) {
    const isOwn = engine.kind !== "reference";
    const options = engine.kind === "reference" ? { retry: REFERENCE_RETRIES } : {};
    const block = (): void => {
      let running: RunningEngine | null = null;
      beforeAll(async () => {
        const pretends = engine.kind === "simulated" ? simulatedFlags : [];
        const all = isOwn ? [...flags, ...ownFlags, ...pretends] : flags;
        const isLent = !own && all.length + nodeFlags.length === 0;
        const daemon = isLent ? borrow(engine, inject("lender")) : startWithBusybox(engine, all, nodeFlags);
        running = new RunningEngine(engine, await daemon);
      });
      afterAll(async () => running?.daemon.close());
      if (engine.kind === "simulated") {
        beforeEach(({ task, skip }) => {
          const reason = reasonNotToPretend(title, task.name);
          if (reason !== null) skip(reason);
        });
      }
      body(() => {
        if (running === null) throw new Error("the engine is not running");
        return running;
      }, engine.kind);
    };
    describeUnless(engine.missing ?? missing, `${title} on ${engine.kind}`, block, options);
  }
}

/** As `onEngines`, each engine the block's own. */
export function onOwnEngines(title: string, body: (engine: () => RunningEngine, kind: EngineKind) => void): void {
  onEngines(title, body, { own: true });
}

/** A block of tests, or, where something is missing, one skipped test that says what. */
export function describeUnless(
  missing: string | null,
  title: string,
  body: () => void,
  options: TestOptions = {},
): void {
  if (missing === null) describe(title, options, body);
  else test(title, ({ skip }) => skip(missing));
}

type Test = (name: string, body: () => Promise<void>) => void;

/**
 * `test`, or `asked`, save for the kinds of engines that are not asked: there a skipped test, with the reason given for
 * them.
 */
export function testExcept(kind: EngineKind, reasons: Partial<Record<EngineKind, string>>, asked: Test = test): Test {
  const reason = reasons[kind];
  // Among tests that run side by side one that waits its turn would part them.
  return reason === undefined ? asked : (name) => test.concurrent(name, ({ skip }) => skip(reason));
}
