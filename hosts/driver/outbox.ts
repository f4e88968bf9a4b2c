// The order in which what steps asked for leaves the driver: strictly step by step, and nothing of a step before every
// record up to and including its own is flushed; but answers that tell nothing of the state go at once. While one
// transaction is being flushed later steps run ahead; their records go together in the next one.

import type { RecordChange } from "../shared/host.js";
import type { StepOutputs } from "../shared/outputs.js";

export class Outbox {
  readonly #gather: () => Promise<void>;
  readonly #commit: (changes: RecordChange[]) => Promise<void>;
  readonly #release: (step: StepOutputs) => void;
  readonly #failed: (error: unknown) => void;
  #waiting: StepOutputs[] = [];
  /** Those whose records are being flushed. */
  #batch: StepOutputs[] = [];
  #flushing: Promise<void> | null = null;
  #failure: { error: unknown } | null = null;
  #cut = false;

  /**
   * A transaction is begun when `gather` resolves. `release` is called once per step, in order. `failed` is called
   * once, when a transaction was not kept; from then on nothing is released any more.
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

  /** A step that need not be kept leaves before this returns, if no earlier one that matters to it is still here. */
  push(step: StepOutputs): void {
    if (this.#failure !== null || this.#cut) return;
    if (isStateless(step)) return this.#release(step);
    if (this.#flushing === null && step.records.length === 0) return this.#release(step);
    this.#waiting.push(step);
    this.#flushing ??= this.#flush();
  }

  /** Nothing is committed or released any more; of a transaction that is being flushed nobody hears what became. */
  cut(): void {
    this.#cut = true;
    this.#waiting = [];
  }

  /** Steps that have not left. */
  get held(): readonly StepOutputs[] {
    return [...this.#batch, ...this.#waiting];
  }

  /** Resolves when every step pushed so far has left; rejects when a transaction was not kept. */
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

/** Nothing but answers that tell nothing of the state. */
function isStateless({ records, effects, replies }: StepOutputs): boolean {
  if (records.length > 0 || effects.length > 0 || replies.length === 0) return false;
  return replies.every(({ command }) => command.tag === "whole" && command.val.stateless);
}
