// Requests that no client should send, by number: to the routes in the core's table, with valid and invalid parameters
// (tests/support/fuzz).

import fc from "fast-check";
import { newestDescription } from "../../support/fuzz/newest-description.js";
import type { Description, FuzzRequest } from "../../support/fuzz/requests.js";
import { fuzzRequests } from "../../support/fuzz/requests.js";
import type { Sent, Visible } from "./verb.js";

let newest: string | null = null;
let arbitrary: fc.Arbitrary<FuzzRequest> | null = null;

/** Must be called once before any story. `archive`: the one in tests/swagger. */
export async function prepareFuzz(archive: URL): Promise<void> {
  newest = await newestDescription(archive);
}

/** Made only for the first request: not all stories have one. */
function requests(): fc.Arbitrary<FuzzRequest> {
  if (newest === null) throw new Error("fuzz is not prepared");
  return fuzzRequests(JSON.parse(newest) as Description);
}

export function fuzzed(number: number, { ids, execs }: Visible): Sent {
  arbitrary ??= requests();
  const [request] = fc.sample(arbitrary, { seed: number, numRuns: 1 }) as [FuzzRequest];
  const fill = (text: string): string =>
    text
      .replaceAll("$running", "anna")
      .replaceAll("$created", ids.get("bert") ?? "bert")
      .replaceAll("$exited", "cleo")
      .replaceAll("$exec", execs.at(-1) ?? "0")
      .replaceAll("$root", "/srv");
  const { method, target, headers, body } = request;
  return {
    ...{ method, target: fill(target) || "/", headers: { ...headers } },
    ...(body === null ? {} : { body: fill(body) }),
  };
}
