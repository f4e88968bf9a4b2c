// Operations under way that can be given up (`abandon` of core/wit/content.wit).

import { interrupted } from "../hosts/shared/failure.js";
import type { Operation } from "../hosts/shared/host.js";

export class UnderWay {
  readonly #controllers = new Map<Operation, AbortController>();

  /** `act` is told by the signal that it is given up: whatever it then fails with, it was interrupted. */
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

  /** One that is not under way, or cannot be given up, is left alone. */
  abandon(op: Operation): void {
    this.#controllers.get(op)?.abort();
  }
}

export function throwIfGivenUp(signal: AbortSignal): void {
  if (signal.aborted) throw interrupted("given-up");
}

/** Waits no longer than until it is given up; what it waits for goes on to its end then, and nobody hears of it. */
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
