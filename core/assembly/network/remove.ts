// DELETE /networks/{id} (surface §2.24): refused, since all existing networks are built in.

import { Call } from "../call";
import { forbidden, Refusal } from "../refusal";
import { lookUpNetwork } from "./look-up";

export function removeNetwork(call: Call): Refusal | null {
  const lookup = lookUpNetwork(call.name);
  const network = lookup.network;
  if (network === null) return lookup.refusal;
  return forbidden(`${network.name} is a pre-defined network and cannot be removed`);
}
