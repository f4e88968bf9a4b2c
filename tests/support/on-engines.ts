// Test blocks that run against each engine, and blocks that report what is missing for them.
import { afterAll, beforeAll, beforeEach, describe, inject, test, type TestOptions } from "vitest";
import { reasonNotToPretend } from "../simulated-limits.js";
import { engines, RunningEngine, startWithBusybox, type EngineKind } from "./engines.js";
import { borrow } from "./lending/borrowed.js";
import { provenReason } from "./proofs/current.js";

/** The reference has races (two of ten concurrent starts may both return 204), so its tests run up to three times. */
const REFERENCE_RETRIES = 2;

type Flags = readonly string[];

/**
 * A test block for each engine. An engine without flags is borrowed (lending/lender.ts), unless the block requests its
 * `own` (onOwnEngines), because it ends the engine or checks its resources. Other engines start before the tests and
 * end after them. `flags` are for all engines, `ownFlags` for ours, `simulatedFlags` for the simulated one; `nodeFlags`
 * are flags of Node for ours. A block does not run on the reference if it passed there before (proofs/proofs.ts).
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
    const name = `${title} on ${engine.kind}`;
    const proven = isOwn ? null : provenReason(name);
    describeUnless(engine.missing ?? missing ?? proven, name, block, options);
  }
}

/** Like `onEngines`, but each engine belongs to the block. */
export function onOwnEngines(title: string, body: (engine: () => RunningEngine, kind: EngineKind) => void): void {
  onEngines(title, body, { own: true });
}

/** A test block, or, if something is missing, one skipped test that says what. */
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

/** `test`, or `asked`; for the excluded kinds of engines a skipped test with the given reason. */
export function testExcept(kind: EngineKind, reasons: Partial<Record<EngineKind, string>>, asked: Test = test): Test {
  const reason = reasons[kind];
  // Among concurrent tests, a sequential one would split them into two groups.
  return reason === undefined ? asked : (name) => test.concurrent(name, ({ skip }) => skip(reason));
}
