// Files that the host removes. The disk has their room only when that is done.

import { Failure, Outcome } from "../../build/bindings/types";
import { Task } from "./task";

class Leaving {
  /** Of files that are being removed. */
  bytes: i64 = 0;
}

export const leaving: Leaving = new Leaving();

/** A task for a command that removes files of so many bytes. Its outcome does not matter. */
export class Removal extends Task {
  constructor(private readonly bytes: i64) {
    super();
    leaving.bytes += bytes;
  }

  ended(_step: i32, _outcome: Outcome | null, _failure: Failure | null): void {
    leaving.bytes -= this.bytes;
  }
}
