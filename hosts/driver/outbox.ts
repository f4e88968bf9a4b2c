// The order in which steps' outputs leave the driver. They leave strictly step by step, and only after all records up
// to and including that step are flushed. Answers that do not depend on the state leave at once. While one transaction
// is being flushed, later steps run ahead; their records go into the next one together.

import type { RecordChange, StepOutputs } from "../shared/index.js";

export class Outbox {
  readonly #gather: () => Promise<void>;
  readonly #commit: (changes: RecordChange[]) => Promise<void>;
  readonly #release: (step: StepOutputs) => void;
  readonly #failed: (error: unknown) => void;
  #waiting: StepOutputs[] = [];
  /** The steps whose records are being flushed. */
  #batch: StepOutputs[] = [];
  #flushing: Promise<void> | null = null;
  #failure: { error: unknown } | null = null;
  #cut = false;

  /**
   * A transaction starts when `gather` resolves. `release` is called once for each step, in order. `failed` is called
   * once, if a transaction fails. After that nothing is released any more.
   */
  constructor(
    gather: () => Promise<void>,
    commit: (changes: RecordChange[]) => Promise<void>,
    release: (step: StepOutputs) => void,
    failed: (error: unknown) => void,
  ) {
    this.#gather = gather;
    this.#commit = commit;
    this.#release = release;
    this.#failed = failed;
  }

  /** A step without records leaves before this returns, unless an earlier step that matters to it is still here. */
  push(step: StepOutputs): void {
    if (this.#failure !== null || this.#cut) return;
    if (isStateless(step)) return this.#release(step);
    if (this.#flushing === null && step.records.length === 0) return this.#release(step);
    this.#waiting.push(step);
    this.#flushing ??= this.#flush();
  }

  /** Commits and releases nothing any more. The result of a transaction that is being flushed is dropped. */
  cut(): void {
    this.#cut = true;
    this.#waiting = [];
  }

  /** Steps that have not left. */
  get held(): readonly StepOutputs[] {
    return [...this.#batch, ...this.#waiting];
  }

  /** Resolves when every step pushed so far has left; rejects if a transaction failed. */
  async settled(): Promise<void> {
    await this.#flushing;
    if (this.#failure !== null) throw this.#failure.error;
  }

  async #flush(): Promise<void> {
    try {
      do {
        await this.#gather();
        const batch = (this.#batch = this.#waiting);
        this.#waiting = [];
        const changes = batch.flatMap(({ records }) => records);
        if (changes.length > 0) await this.#commit(changes);
        this.#batch = [];
        for (const step of batch) if (!this.#cut) this.#release(step);
      } while (this.#waiting.length > 0);
    } catch (error) {
      if (this.#cut) return;
      this.#failure = { error };
      this.#waiting = [];
      this.#failed(error);
    }
    this.#flushing = null;
  }
}

/** Contains only answers that do not depend on the state. */
function isStateless({ records, effects, replies }: StepOutputs): boolean {
  if (records.length > 0 || effects.length > 0 || replies.length === 0) return false;
  return replies.every(({ command }) => command.tag === "whole" && command.val.stateless);
}
