// Finds the network that a client means (surface §2.4): by id, by name, or by a prefix that only one id has.

import { badParameter, notFound, Refusal } from "../refusal";
import { Network } from "./network";
import { networkStore } from "./store";

export class NetworkLookup {
  constructor(
    readonly network: Network | null,
    readonly refusal: Refusal | null,
    /** Networks whose ids begin with the reference, if there are several; else 0. */
    readonly matches: i32 = 0,
  ) {}
}

export function lookUpNetwork(reference: string): NetworkLookup {
  let found = networkStore.find(reference);
  if (found === null || !isThere(found)) found = networkStore.named(reference);
  if (found !== null && isThere(found)) return new NetworkLookup(found, null);
  const all = networkStore.all();
  let matches = 0;
  found = null;
  for (let i = 0; i < all.length; i++) {
    if (!all[i].id.startsWith(reference) || !isThere(all[i])) continue;
    found = all[i];
    matches += 1;
  }
  if (matches > 1) {
    const text = `network ${reference} is ambiguous (${matches.toString()} matches found based on ID prefix)`;
    return new NetworkLookup(null, badParameter(text), matches);
  }
  return new NetworkLookup(found, found === null ? notFound(`network ${reference} not found`) : null);
}

/** Clients do not find a network whose removal has begun. */
function isThere(network: Network): bool {
  return !network.removing;
}
