// Reduces progress reports: a host may report every block that it reads, but the core needs only a few a second.

import type { Input, Operation, Report } from "../shared/index.js";

const INTERVAL_NS = 25_000_000n;

/** One command's reports. A report that was held back is sent before the phase changes and before the command ends. */
export class ProgressReports {
  readonly #op: Operation;
  readonly #monotonic: () => bigint;
  readonly #deliver: (input: Input) => void;
  #phase = "";
  #sentAt = 0n;
  #held: Input | null = null;

  constructor(op: Operation, monotonic: () => bigint, deliver: (input: Input) => void) {
    this.#op = op;
    this.#monotonic = monotonic;
    this.#deliver = deliver;
  }

  readonly report: Report = (phase, current, total) => {
    const input: Input = { tag: "progress", val: { op: this.#op, phase, current, total } };
    const now = this.#monotonic();
    if (phase === this.#phase && now - this.#sentAt < INTERVAL_NS) {
      this.#held = input;
      return;
    }
    if (phase !== this.#phase) this.flush();
    this.#held = null;
    this.#phase = phase;
    this.#sentAt = now;
    this.#deliver(input);
  };

  flush(): void {
    if (this.#held !== null) this.#deliver(this.#held);
    this.#held = null;
  }
}
