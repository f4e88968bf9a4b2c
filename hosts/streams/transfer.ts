// How much the client of a session has sent: what people see of a build's context.

import type { Report } from "../shared/index.js";

/** Bytes between two reports: each is a step of the core. */
const STEP = 1 << 20;

export class Transfer {
  readonly #report: Report;
  #bytes = 0;
  #reported = 0;

  constructor(report: Report) {
    this.#report = report;
  }

  /** More has arrived. */
  readonly came = (bytes: number): void => {
    this.#bytes += bytes;
    if (this.#bytes - this.#reported >= STEP) this.#tell();
  };

  /** The last report. Whoever has sent nothing is not reported. */
  end(): void {
    if (this.#bytes > this.#reported) this.#tell();
  }

  #tell(): void {
    this.#reported = this.#bytes;
    this.#report("downloading", BigInt(this.#bytes), 0n);
  }
}
