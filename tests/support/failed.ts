// The failure of an operation, for tests to compare.

import { failureOf } from "../../hosts/shared/failure.js";
import type { failures } from "../../hosts/shared/host.js";

/** As the core sees it. */
export function shownFailure(thrown: unknown): Record<string, unknown> {
  return flat(failureOf(thrown));
}

export function flat(failure: failures.Failure): Record<string, unknown> {
  return { ...failure };
}

/** Rejects if the promise does not fail. */
export async function failed(promise: Promise<unknown>): Promise<Record<string, unknown>> {
  return promise.then(
    () => Promise.reject(new Error("it did not fail")),
    (error: unknown) => shownFailure(error),
  );
}
