// A cache that is elsewhere: in a registry, or in a directory of the client.

import { Image } from "../../image/image";
import { FetchClient } from "./cache-layers";
import { OpenWork } from "./work";

/** Has all of them. */
export interface ImportOwner {
  /** False if the configs would be too large together. */
  admits(image: Image): bool;
  /** It is known whether one is a cache. */
  next(): void;
}

export interface ImportedCache extends OpenWork {
  /** Finally calls the `next` of its owner. */
  begin(): void;
  isOf(source: Image): bool;
  fetch(source: Image, client: FetchClient): OpenWork;
}
