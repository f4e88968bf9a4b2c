// Execs that have ended can be asked for during five to ten minutes more (surface §2.9): each pass takes those that the
// one before it has seen.

import { Failure, Outcome } from "../../../build/bindings/types";
import { wakeAfter } from "../ask";
import { engine } from "../state";
import { Task } from "../task";

const PERIOD: u64 = 5 * 60 * 1_000_000_000;

/** Something has ended. While nothing has, no timer is set. */
export function collectLater(): void {
  if (engine.execs.collecting) return;
  engine.execs.collecting = true;
  wakeAfter(new Collection(), 0, PERIOD);
}

class Collection extends Task {
  ended(_step: i32, _outcome: Outcome | null, _failure: Failure | null): void {}

  elapsed(_step: i32): void {
    engine.execs.collecting = false;
    let left = false;
    const execs = engine.execs.all();
    for (let i = 0; i < execs.length; i++) {
      const exec = execs[i];
      if (exec.live) continue;
      if (exec.aged) engine.execs.remove(exec);
      else left = exec.aged = true;
    }
    if (left) collectLater();
  }
}
