// Which layers the images that clients see have in common. Images that are only the builder's cache do not count: nobody
// sees them among the images.

import { Image } from "../image";
import { layerStore } from "../layers/layer-store";
import { imageStore } from "../store";

export class Sharing {
  /** By a layer's ChainID: the number of images that have it. */
  private readonly counts: Map<string, i32> = new Map<string, i32>();

  constructor() {
    const all = imageStore.all();
    for (let i = 0; i < all.length; i++) {
      if (all[i].onlyCache) continue;
      for (let j = 0; j < all[i].layers.length; j++) {
        const chain = all[i].layers[j].chain;
        this.counts.set(chain, this.imagesWith(chain) + 1);
      }
    }
  }

  /** Number of images with a layer. */
  imagesWith(chain: string): i32 {
    return this.counts.has(chain) ? this.counts.get(chain) : 0;
  }

  /** Bytes of all layers; each counts once. */
  get size(): i64 {
    const chains = this.counts.keys();
    let size: i64 = 0;
    for (let i = 0; i < chains.length; i++) size += sizeOf(chains[i]);
    return size;
  }

  /** Bytes of the layers that an image shares with others. */
  sharedSize(image: Image): i64 {
    let size: i64 = 0;
    for (let i = 0; i < image.layers.length; i++) {
      const chain = image.layers[i].chain;
      if (this.imagesWith(chain) > 1) size += sizeOf(chain);
    }
    return size;
  }
}

function sizeOf(chain: string): i64 {
  const layer = layerStore.find(chain);
  return layer === null ? 0 : <i64>layer.size;
}
