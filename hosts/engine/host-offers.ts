// What a host may offer an engine beyond what every host has.

import type { Host } from "../shared/host.js";

/** What a host may offer an engine beyond what every host has: each is asked for if it is there. */
export interface HostOffers {
  /** Archives to load into a new engine, one that has no records yet, as `POST /images/load` takes them. */
  firstImages?: () => Uint8Array[];
  /** Given what crashes the engine, as `Engine.crash` does; may be called between any two outputs. */
  onCrash?: (crash: () => void) => void;
  /** Told of every output that has left the engine: a transaction was kept, an effect started, a reply sent. */
  outputLeft?: () => void;
  /** Where it keeps things, for people: `DockerRootDir` of `/info` is `data`. */
  readonly directories?: { readonly data: string; readonly exec: string };
}

/** Those of a host, callable without it. */
export function offersOf(host: Host): HostOffers {
  const { firstImages, onCrash, outputLeft, directories } = host as Host & HostOffers;
  return {
    ...(firstImages && { firstImages: () => firstImages.call(host) }),
    ...(onCrash && { onCrash: (crash) => onCrash.call(host, crash) }),
    ...(outputLeft && { outputLeft: () => outputLeft.call(host) }),
    ...(directories && { directories }),
  };
}
