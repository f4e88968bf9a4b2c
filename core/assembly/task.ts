// Tasks wait for completions: every command that the host is asked for, and every timer, is a step of a task.

import { Failure, Outcome, Progress } from "../../build/bindings/types";
import { acting, Origin } from "./origin";

/** Work that takes more than one step. The task itself numbers its steps. */
export abstract class Task {
  /** A command has completed; exactly one of `outcome` and `failure` is set. */
  abstract ended(step: i32, outcome: Outcome | null, failure: Failure | null): void;

  /** A command has made progress. */
  progressed(_step: i32, _progress: Progress): void {}

  /** A timer has expired. */
  elapsed(_step: i32): void {}
}

/** A step that has not completed. */
export class Pending {
  constructor(
    readonly task: Task,
    readonly step: i32,
    /** The origin of the step, which also applies to its consequences. */
    readonly origin: Origin,
  ) {}
}

/** The steps in progress, by operation id. A completion without one is late, a duplicate, or from another epoch. */
export class Steps {
  private readonly pending: Map<u64, Pending> = new Map<u64, Pending>();
  private counter: u32 = 0;
  epoch: u32 = 0;

  begin(task: Task, step: i32): u64 {
    this.counter += 1;
    const op = ((<u64>this.epoch) << 32) | <u64>this.counter;
    this.pending.set(op, new Pending(task, step, acting.origin));
    return op;
  }

  find(op: u64): Pending | null {
    return this.pending.has(op) ? this.pending.get(op) : null;
  }

  end(op: u64): Pending | null {
    if (!this.pending.has(op)) return null;
    const pending = this.pending.get(op);
    this.pending.delete(op);
    return pending;
  }
}
