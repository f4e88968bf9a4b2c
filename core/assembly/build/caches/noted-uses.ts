// Which parts of the builder's cache a build under way has used. It does not wait for the disk at each of them: they
// change, with their records, when a build is over. If the engine is killed before that, these uses are forgotten. Only
// the order in which parts leave the cache depends on them.

import { Image } from "../../image/image";
import { imageStore } from "../../image/store";
import { engine } from "../../state";
import { BuildCache } from "./build-cache";
import { cacheStore } from "./cache-store";

class NotedUses {
  private images: Image[] = [];
  private caches: BuildCache[] = [];

  /** A build has found a step. */
  image(image: Image): void {
    this.images.push(image);
  }

  /** A build has read the files that a client has sent. */
  cache(cache: BuildCache): void {
    this.caches.push(cache);
    cache.noted += 1;
    cache.notedAt = engine.now.wall;
  }

  /** A build is over. */
  write(): void {
    const images = this.images;
    const caches = this.caches;
    this.images = [];
    this.caches = [];
    for (let i = 0; i < images.length; i++) imageStore.used(images[i]);
    for (let i = 0; i < caches.length; i++) {
      caches[i].noted -= 1;
      cacheStore.used(caches[i]);
    }
  }
}

export const notedUses: NotedUses = new NotedUses();
