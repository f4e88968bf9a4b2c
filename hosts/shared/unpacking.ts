// Layers that are being unpacked. Several requests for one layer share the work, which continues as long as any of them
// wants it.

import { interrupted } from "./failure.js";
import type { Report } from "./host.js";

/** Does the work; must settle soon after `signal`. Resolves to the size of the layer's files in bytes. */
export type Work = (report: Report, signal: AbortSignal) => Promise<number>;

export class Unpacking {
  readonly #shared = new Map<string, Shared>();

  /** Starts or joins the work on a chain; leaves it when `signal` is aborted. */
  async ask(chain: string, work: Work, report: Report, signal: AbortSignal): Promise<number> {
    let shared = this.#shared.get(chain);
    while (shared?.givenUp) {
      await shared.over;
      shared = this.#shared.get(chain);
    }
    if (!shared) {
      shared = new Shared(work);
      this.#shared.set(chain, shared);
      void shared.over.then(() => this.#shared.delete(chain));
    }
    return shared.join(report, signal);
  }

  /** Resolves when nobody works on a chain any more, whatever the result. */
  async settled(chain: string): Promise<void> {
    await this.#shared.get(chain)?.over;
  }
}

class Shared {
  readonly #readers = new Set<Report>();
  readonly #controller = new AbortController();
  readonly #result: Promise<number>;
  readonly over: Promise<void>;

  constructor(work: Work) {
    const report: Report = (...told) => this.#readers.forEach((reader) => reader(...told));
    this.#result = work(report, this.#controller.signal);
    this.over = this.#result.then(
      () => {},
      () => {},
    );
  }

  get givenUp(): boolean {
    return this.#controller.signal.aborted;
  }

  async join(report: Report, signal: AbortSignal): Promise<number> {
    this.#readers.add(report);
    let leave = (): void => {};
    const left = new Promise<void>((resolve) => (leave = resolve));
    signal.addEventListener("abort", leave);
    if (signal.aborted) leave();
    try {
      return await Promise.race([this.#result, left.then(() => this.#leave(report))]);
    } finally {
      signal.removeEventListener("abort", leave);
      this.#readers.delete(report);
    }
  }

  /** The last one to leave stops the work, and waits until nothing of it is left. */
  async #leave(report: Report): Promise<never> {
    this.#readers.delete(report);
    if (this.#readers.size === 0) {
      this.#controller.abort();
      await this.over;
    }
    throw interrupted("given-up");
  }
}
