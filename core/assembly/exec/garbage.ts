// Garbage collection of execs. Clients can ask about an ended exec for another five to ten minutes (surface §2.9): each
// pass removes those that the pass before has seen.

import { Failure, Outcome } from "../../../build/bindings/types";
import { wakeAfter } from "../ask";
import { Task } from "../task";
import { execStore } from "./store";

const PERIOD: u64 = 5 * 60 * 1_000_000_000;

/** An exec has ended. There is no timer while none has. */
export function collectLater(): void {
  if (execStore.collecting) return;
  execStore.collecting = true;
  wakeAfter(new Collection(), 0, PERIOD);
}

class Collection extends Task {
  ended(_step: i32, _outcome: Outcome | null, _failure: Failure | null): void {}

  elapsed(_step: i32): void {
    execStore.collecting = false;
    let left = false;
    const execs = execStore.all();
    for (let i = 0; i < execs.length; i++) {
      const exec = execs[i];
      if (exec.live) continue;
      if (exec.aged) execStore.remove(exec);
      else left = exec.aged = true;
    }
    if (left) collectLater();
  }
}
