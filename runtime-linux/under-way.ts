// Running operations that can be aborted (`abandon` of core/wit/content.wit).

import { interrupted } from "../hosts/shared/index.js";
import type { Operation } from "../hosts/shared/index.js";

export class UnderWay {
  readonly #controllers = new Map<Operation, AbortController>();

  /** `signal` tells `act` to stop. Whatever error `act` then throws, the operation counts as interrupted. */
  async run<T>(op: Operation, act: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    this.#controllers.set(op, controller);
    try {
      return await act(controller.signal);
    } catch (error) {
      if (controller.signal.aborted) throw interrupted("given-up");
      throw error;
    } finally {
      this.#controllers.delete(op);
    }
  }

  /** Ignores operations that are not running or cannot be aborted. */
  abandon(op: Operation): void {
    this.#controllers.get(op)?.abort();
  }
}

export function throwIfGivenUp(signal: AbortSignal): void {
  if (signal.aborted) throw interrupted("given-up");
}

/**
 * Waits for a promise, or until the operation is aborted. In that case the work behind the promise still runs to its
 * end, and its result is dropped.
 */
export async function unlessGivenUp<T>(signal: AbortSignal, awaited: Promise<T>): Promise<T> {
  let stop = (): void => {};
  const givenUp = new Promise<never>((_, reject) => (stop = () => reject(interrupted("given-up"))));
  signal.addEventListener("abort", stop);
  if (signal.aborted) stop();
  try {
    return await Promise.race([givenUp, awaited]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
