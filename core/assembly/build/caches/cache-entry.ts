// The entries of the builder's cache, as clients see them (surface §2.23): the caches of `RUN --mount=type=cache`, the files
// that clients have sent, and the steps of builds by BuildKit. Those are images that nobody but a build sees.

import { Image } from "../../image/image";
import { imageStore } from "../../image/store";
import { NO_TIME } from "../../text/time";
import { Filtered } from "../field-filter";
import { BuildCache } from "./build-cache";
import { dropCache } from "./cache-end";
import { cacheStore } from "./cache-store";
import { Uses } from "./uses";

const MOUNT_TYPE: string = "exec.cachemount";
const CLIENT_TYPE: string = "source.local";
const STEP_TYPE: string = "regular";
const ALGORITHM = "sha256:";
const FLAGS: string[] = ["inuse", "mutable", "immutable", "shared", "private"];

export abstract class CacheEntry extends Filtered {
  constructor(
    /** Without an algorithm. */
    readonly id: string,
    readonly type: string,
    /** A container or a build has it. */
    readonly inUse: bool,
    /** Its bytes are also those of an image that clients see. */
    readonly isShared: bool,
    /** As BuildKit describes it. */
    readonly description: string,
    /** Bytes. */
    readonly size: i64,
    /** Nanoseconds since 1970. */
    readonly created: i64,
    readonly lastUsed: i64,
    /** How many steps have used it. */
    readonly uses: i64,
  ) {
    super();
  }

  /** Its files change from one build to the next. */
  get isMutable(): bool {
    return this.type != STEP_TYPE;
  }

  /** Of what it was made: an id as its own, or empty. */
  get parent(): string {
    return "";
  }

  isFlag(field: string): bool {
    return FLAGS.includes(field);
  }

  isSet(flag: string): bool {
    if (flag == "inuse") return this.inUse;
    if (flag == "mutable") return this.isMutable;
    if (flag == "immutable") return !this.isMutable;
    return flag == "shared" ? this.isShared : !this.isShared;
  }

  textOf(field: string): string {
    if (field == "id") return this.id;
    if (field == "type") return this.type;
    if (field == "description") return this.description;
    return field == "parents" ? this.parent : "";
  }

  /** Removes it. Returns how many bytes that frees. */
  abstract drop(): i64;
}

class VolumeEntry extends CacheEntry {
  constructor(
    private readonly cache: BuildCache,
    uses: Uses,
  ) {
    const description = cache.ofClient ? `local source for ${cache.name}` : `cached mount ${cache.name} from a build`;
    const type = cache.ofClient ? CLIENT_TYPE : MOUNT_TYPE;
    const isUsed = uses.ofCache(cache);
    super(cache.id, type, isUsed, false, description, cache.size, cache.created, cache.newestUse, cache.allUses);
  }

  drop(): i64 {
    dropCache(this.cache);
    return this.cache.size;
  }
}

class StepEntry extends CacheEntry {
  constructor(
    private readonly image: Image,
    uses: Uses,
  ) {
    const parent = imageStore.find(image.parent);
    const isShared = uses.sharesLayer(image, parent);
    const size = ownSize(image, parent);
    const id = shortened(image.id);
    const lastUsed = image.lastUsed == NO_TIME ? image.created : image.lastUsed;
    const isUsed = uses.ofImage(image);
    super(id, STEP_TYPE, isUsed, isShared, image.madeBy, size, image.created, lastUsed, 1 + image.uses);
  }

  get parent(): string {
    return shortened(this.image.parent);
  }

  drop(): i64 {
    const layers = imageStore.remove(this.image);
    let freed: i64 = 0;
    for (let i = 0; i < layers.length; i++) freed += <i64>layers[i].size;
    return freed;
  }
}

/** What it has more than its parent. */
function ownSize(image: Image, parent: Image | null): i64 {
  return <i64>image.size - (parent === null ? 0 : <i64>parent.size);
}

/** The caches first, each kind from the oldest one on. */
export function cacheEntries(): CacheEntry[] {
  const uses = new Uses();
  const entries: CacheEntry[] = [];
  const caches = cacheStore.all();
  for (let i = 0; i < caches.length; i++) entries.push(new VolumeEntry(caches[i], uses));
  const images = imageStore.all();
  for (let i = 0; i < images.length; i++) if (images[i].onlyCache) entries.push(new StepEntry(images[i], uses));
  return entries;
}

/** At least as many bytes as the entries have that no image shares. It costs little. */
export function mostBytes(): i64 {
  let most: i64 = 0;
  const caches = cacheStore.all();
  for (let i = 0; i < caches.length; i++) most += caches[i].size;
  const images = imageStore.all();
  for (let i = 0; i < images.length; i++)
    if (images[i].onlyCache) most += ownSize(images[i], imageStore.find(images[i].parent));
  return most;
}

/** By the ids of entries: how many images were made of each. They have to go first. */
export function childCounts(): Map<string, i32> {
  const counts = new Map<string, i32>();
  const images = imageStore.all();
  for (let i = 0; i < images.length; i++) {
    const parent = shortened(images[i].parent);
    if (parent.length > 0) counts.set(parent, (counts.has(parent) ? counts.get(parent) : 0) + 1);
  }
  return counts;
}

/** Without the algorithm. */
function shortened(id: string): string {
  return id.slice(ALGORITHM.length);
}
