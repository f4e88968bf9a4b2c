// What a host may offer beyond what every host has.

import type { Host } from "../host.js";

export interface HostOffers {
  /** Archives to load into a new engine, as `POST /images/load` takes them. */
  firstImages?: () => Uint8Array[];
  /** Wants to be able to crash the engine. Calls back between two outputs. */
  onCrash?: (crash: () => void) => void;
  /** Counts what leaves the engine: transactions, effects, replies. */
  outputLeft?: () => void;
  /** Where it keeps things, for people. */
  directories?: { data: string; exec: string };
}

export function offersOf(host: Host): HostOffers {
  const { firstImages, onCrash, outputLeft, directories } = host as Host & HostOffers;
  return {
    ...(firstImages && { firstImages: () => firstImages.call(host) }),
    ...(onCrash && { onCrash: (crash) => onCrash.call(host, crash) }),
    ...(outputLeft && { outputLeft: () => outputLeft.call(host) }),
    ...(directories && { directories }),
  };
}
