// What the core waits for: every command asked of a host, and every timer, is a step of a task.

import { Failure, Outcome, Progress } from "../../build/bindings/types";
import { acting, Origin } from "./origin";

/** Something that takes more than one step. Steps are numbered by the task itself. */
export abstract class Task {
  /** A command has ended: exactly one of `outcome` and `failure` is there. */
  abstract ended(step: i32, outcome: Outcome | null, failure: Failure | null): void;

  /** A command goes on. */
  progressed(_step: i32, _progress: Progress): void {}

  /** A timer's time has come. */
  elapsed(_step: i32): void {}
}

/** A step that has not ended. */
export class Pending {
  constructor(
    readonly task: Task,
    readonly step: i32,
    /** On whose behalf: what comes of it is on theirs, too. */
    readonly origin: Origin,
  ) {}
}

/** The steps under way, by operation id. A completion that finds none here is late, double or of another epoch. */
export class Steps {
  private readonly pending: Map<u64, Pending> = new Map<u64, Pending>();
  private counter: u32 = 0;
  epoch: u32 = 0;

  begin(task: Task, step: i32): u64 {
    this.counter += 1;
    const op = ((<u64>this.epoch) << 32) | (<u64>this.counter);
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
