// The layers of images that are a cache and may not be here yet.

import { Image } from "../../image/image";
import { OpenWork } from "./work";

/** Waits for the layers of one. */
export interface FetchClient {
  /** As in `LayerListener`. */
  layerMoved(what: string, id: string, current: u64, total: u64): void;
  /** They are here, or cannot be had: then it is no cache any more. */
  layersSettled(): void;
}

export interface CacheLayers extends OpenWork {
  /** Some are elsewhere. */
  mayLack: bool;
  /** Fetches the layers of an image of the build's `cacheSources`. */
  fetch(source: Image, client: FetchClient): OpenWork;
}
