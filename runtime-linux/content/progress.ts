// Reports the progress of layers at a pace that a reader can follow.

import type { Report, engine } from "../../hosts/shared/index.js";

export class LayerProgress {
  readonly #report: Report;
  readonly #total: bigint;
  #phase: engine.Phase = "downloading";
  #last = -Infinity;

  constructor(report: Report, total: number) {
    this.#report = report;
    this.#total = BigInt(total);
  }

  /** The next phase begins. */
  enter(phase: engine.Phase): void {
    this.#phase = phase;
    this.#last = -Infinity;
    if (phase === "verifying" || phase === "downloaded") this.#report(phase, this.#total, this.#total);
  }

  /** Reports how many bytes have arrived or were unpacked, at most every 100 ms. */
  at(phase: engine.Phase, current: number): void {
    const now = performance.now();
    if (phase !== this.#phase || now - this.#last < INTERVAL_MS) return;
    this.#last = now;
    this.#report(phase, BigInt(current), this.#total);
  }

  /** The last report: everything is unpacked. */
  end(): void {
    this.#report("extracting", this.#total, this.#total);
  }
}

/** The progress of a layer on its way to a registry. */
export class PushProgress {
  readonly #report: Report;
  readonly #total: bigint;
  #last = -Infinity;

  constructor(report: Report, total: number) {
    this.#report = report;
    this.#total = BigInt(total);
  }

  /** Reports how many bytes have been read, at most every 100 ms. */
  at(current: number): void {
    const now = performance.now();
    if (now - this.#last < INTERVAL_MS) return;
    this.#last = now;
    this.#report("uploading", BigInt(current), this.#total);
  }

  /** The last report: everything was read. */
  end(): void {
    this.#report("uploading", this.#total, this.#total);
  }
}

const INTERVAL_MS = 100;
