// Finds the network that a client means (surface §2.4): by id, by name, or by a prefix that only one id has.

import { badParameter, notFound, Refusal } from "../refusal";
import { Network } from "./network";
import { networkStore } from "./store";

export class NetworkLookup {
  constructor(
    readonly network: Network | null,
    readonly refusal: Refusal | null,
  ) {}
}

export function lookUpNetwork(reference: string): NetworkLookup {
  let found = networkStore.find(reference);
  if (found === null) found = networkStore.named(reference);
  if (found !== null) return new NetworkLookup(found, null);
  const all = networkStore.all();
  let matches = 0;
  for (let i = 0; i < all.length; i++) {
    if (!all[i].id.startsWith(reference)) continue;
    found = all[i];
    matches += 1;
  }
  if (matches > 1) {
    const text = `${matches.toString()} matches found based on ID prefix: network ${reference} is ambiguous`;
    return new NetworkLookup(null, badParameter(text));
  }
  return new NetworkLookup(found, found === null ? notFound(`network ${reference} not found`) : null);
}
