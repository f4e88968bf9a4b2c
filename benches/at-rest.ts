// Waits until an engine has nothing more to do. It may answer earlier: the files of a removed image go after the answer.
import { pause } from "../tests/support/commands.js";
import type { RunningEngine } from "../tests/support/engines.js";
import { processorSecondsOfAll } from "./processes-of.js";

/** The kernel counts in hundredths of a second, and an idle engine looks after its timers. */
const MOST_SECONDS = 0.02;
const PATIENCE_MS = 60_000;

/** The engine used next to no processor time for so long. Removing files takes plenty of it. */
export async function atRest(engine: RunningEngine, quietMs: number): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  for (let before = processorSecondsOfAll(engine); ;) {
    await pause(quietMs);
    const now = processorSecondsOfAll(engine);
    if (now - before <= MOST_SECONDS) return;
    if (Date.now() > deadline) throw new Error(`${engine.kind} is still at work after ${PATIENCE_MS} ms`);
    before = now;
  }
}
