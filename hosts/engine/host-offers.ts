// Optional features that a host may offer an engine.

import type { Host, PortConnection } from "../shared/index.js";

/** Optional features that a host may offer an engine. The engine uses each if it is there. */
export interface HostOffers {
  /** Archives to load into a new engine, which has no records yet. The format is that of `POST /images/load`. */
  firstImages?: () => Uint8Array[];
  /** Receives a function that crashes the engine as `Engine.crash` does. It may be called between any two outputs. */
  onCrash?: (crash: () => void) => void;
  /** Called for every output that has left the engine: a durable transaction, a started effect, a sent reply. */
  outputLeft?: () => void;
  /** Receives what answers requests of the host's own containers to the engine's socket. */
  serve?: (answer: (target: string, init: RequestInit) => Promise<Response>) => void;
  /** Connects to a published TCP port of the host's machine. */
  dial?: (port: number) => Promise<PortConnection>;
  /** Sends datagrams to a published UDP port of the host's machine: each chunk is one. */
  dialDatagrams?: (port: number) => Promise<PortConnection>;
  /** The host's directories, for people: `DockerRootDir` of `/info` is `data`. */
  readonly directories?: { readonly data: string; readonly exec: string };
}

/** A host's optional features, as functions that can be called without the host. */
export function offersOf(host: Host): HostOffers {
  const { firstImages, onCrash, outputLeft, serve, dial, dialDatagrams, directories } = host as Host & HostOffers;
  return {
    ...(firstImages && { firstImages: () => firstImages.call(host) }),
    ...(onCrash && { onCrash: (crash) => onCrash.call(host, crash) }),
    ...(outputLeft && { outputLeft: () => outputLeft.call(host) }),
    ...(serve && { serve: (answer) => serve.call(host, answer) }),
    ...(dial && { dial: (port) => dial.call(host, port) }),
    ...(dialDatagrams && { dialDatagrams: (port) => dialDatagrams.call(host, port) }),
    ...(directories && { directories }),
  };
}
