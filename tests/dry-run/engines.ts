// Our engines with an additional dry-run socket.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { RunningEngine, engines, startWithBusybox, type EngineKind } from "../support/engines.js";
import { EngineClient } from "../support/engine-client.js";
import { describeUnless } from "../support/on-engines.js";

export interface DryRunEngine {
  live: RunningEngine;
  /** Uses the dry-run socket. */
  dry: EngineClient;
  /** A directory for the test's files. */
  place: string;
}

/** A test block for each of our engines; the reference has no dry runs. */
export function onDryRunEngines(
  title: string,
  body: (engine: () => DryRunEngine) => void,
  missing: string | null = null,
  kinds: readonly EngineKind[] = ["linux", "simulated"],
): void {
  for (const engine of engines().filter(({ kind }) => kinds.includes(kind))) {
    describeUnless(engine.missing ?? missing, `${title} on ${engine.kind}`, () => {
      const place = mkdtempSync(join(tmpdir(), "coracle-dry-run-"));
      const socket = join(place, "dry.sock");
      let running: DryRunEngine | null = null;
      beforeAll(async () => {
        const daemon = await startWithBusybox(engine, ["-H", `unix://${socket}?dry-run`]);
        running = { live: new RunningEngine(engine, daemon), dry: new EngineClient(socket), place };
      });
      afterAll(async () => {
        await running?.live.daemon.close();
        rmSync(place, { recursive: true, force: true });
      });
      body(() => {
        if (running === null) throw new Error("the engine is not running");
        return running;
      });
    });
  }
}
