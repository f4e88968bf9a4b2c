// The entries of the builder's cache, as clients see them (surface §2.23): the caches of `RUN --mount=type=cache`, and the
// steps of builds by BuildKit. Those are images that nobody but a build sees.

import { Image } from "../../image/image";
import { imageStore } from "../../image/store";
import { formerHistory } from "../run/step-image";
import { BuildCache } from "./build-cache";
import { dropCache } from "./cache-end";
import { cacheStore, isInUse } from "./cache-store";

const MOUNT_TYPE: string = "exec.cachemount";
const STEP_TYPE: string = "regular";

export abstract class CacheEntry {
  constructor(
    /** Without an algorithm. */
    readonly id: string,
    readonly type: string,
    /** As BuildKit describes it. */
    readonly description: string,
    /** Bytes. */
    readonly size: i64,
    /** Nanoseconds since 1970. */
    readonly created: i64,
    readonly lastUsed: i64,
    /** How many steps have used it. */
    readonly uses: i64,
  ) {}

  abstract get inUse(): bool;

  /** Steps change its files. */
  get isMutable(): bool {
    return this.type == MOUNT_TYPE;
  }

  /** Its bytes are also those of an image that clients see. */
  get isShared(): bool {
    return false;
  }

  /** Others are made of it: they have to go first. */
  get isNeeded(): bool {
    return false;
  }

  /** Removes it. Returns how many bytes that frees. */
  abstract drop(): i64;
}

class MountEntry extends CacheEntry {
  constructor(private readonly cache: BuildCache) {
    const description = `cached mount ${cache.name} from a build`;
    super(cache.id, MOUNT_TYPE, description, cache.size, cache.created, cache.lastUsed, cache.uses);
  }

  get inUse(): bool {
    return isInUse(this.cache);
  }

  drop(): i64 {
    dropCache(this.cache);
    return this.cache.size;
  }
}

class StepEntry extends CacheEntry {
  constructor(private readonly image: Image) {
    super(image.id.slice("sha256:".length), STEP_TYPE, stepOf(image), ownSize(image), image.created, image.created, 1);
  }

  get inUse(): bool {
    return imageStore.usedBy(this.image).length > 0;
  }

  get isShared(): bool {
    const chain = this.image.chain;
    if (chain === null) return false;
    const images = imageStore.all();
    for (let i = 0; i < images.length; i++) {
      if (!images[i].onlyCache && images[i].hasLayer(chain)) return true;
    }
    return false;
  }

  get isNeeded(): bool {
    return imageStore.hasChildren(this.image);
  }

  drop(): i64 {
    const layers = imageStore.remove(this.image);
    let freed: i64 = 0;
    for (let i = 0; i < layers.length; i++) freed += <i64>layers[i].size;
    return freed;
  }
}

/** The caches first, each kind from the oldest one on. */
export function cacheEntries(): CacheEntry[] {
  const entries: CacheEntry[] = [];
  const caches = cacheStore.all();
  for (let i = 0; i < caches.length; i++) entries.push(new MountEntry(caches[i]));
  const images = imageStore.all();
  for (let i = 0; i < images.length; i++) if (images[i].onlyCache) entries.push(new StepEntry(images[i]));
  return entries;
}

/** What it was made by. */
function stepOf(image: Image): string {
  const history = formerHistory(image);
  return history.length == 0 ? "" : history[history.length - 1].stringOf("created_by");
}

/** Bytes that it has in addition to the image that it was made of. */
function ownSize(image: Image): i64 {
  const parent = imageStore.find(image.parent);
  return <i64>image.size - (parent === null ? 0 : <i64>parent.size);
}
