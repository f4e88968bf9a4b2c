// All caches of `RUN --mount=type=cache` and all files that clients have sent, and who gets which.

import { deleteRecord } from "../../ask";
import { MountKind } from "../../container/mounts/mount-point";
import { containerStore } from "../../container/store";
import { CACHE_RECORDS } from "../../records/kinds";
import { putRecord } from "../../records/put";
import { setAside } from "../../records/set-aside";
import { engine } from "../../state";
import { BuildCache } from "./build-cache";
import { due } from "./due";

class CacheStore {
  private readonly byId: Map<string, BuildCache> = new Map<string, BuildCache>();

  restore(cache: BuildCache): void {
    this.byId.set(cache.id, cache);
  }

  find(id: string): BuildCache | null {
    return this.byId.has(id) ? this.byId.get(id) : null;
  }

  /** Those whose files are there, the oldest first. */
  all(): BuildCache[] {
    return this.byId.values().filter((cache) => cache.ready);
  }

  putAll(): void {
    const caches = this.all();
    for (let i = 0; i < caches.length; i++) this.put(caches[i]);
  }

  /**
   * Takes a cache for a step: one that is free, or, if `shared`, one that others share. Null if there is none; `isTaken`
   * tells whether that may change.
   */
  take(key: string, shared: bool): BuildCache | null {
    const caches = this.byId.values();
    let free: BuildCache | null = null;
    for (let i = 0; i < caches.length; i++) {
      const cache = caches[i];
      if (cache.key != key || !cache.ready) continue;
      if (shared && cache.holders > 0 && !cache.exclusive) return this.hold(cache, false);
      if (free === null && !isInUse(cache)) free = cache;
    }
    return free === null ? null : this.hold(free, !shared);
  }

  /** Whether somebody has a cache with this key, or is making one. */
  isTaken(key: string): bool {
    const caches = this.byId.values();
    for (let i = 0; i < caches.length; i++) if (caches[i].key == key && isInUse(caches[i])) return true;
    return false;
  }

  /** Whether one with this key is being made that others may share. */
  isBeingMade(key: string): bool {
    const caches = this.byId.values();
    for (let i = 0; i < caches.length; i++) {
      if (caches[i].key == key && !caches[i].ready && !caches[i].exclusive) return true;
    }
    return false;
  }

  /** A new one, whose files are not there yet. Its record follows when they are: until then nobody else can have it. */
  begin(key: string, name: string, exclusive: bool, ofClient: bool = false): BuildCache {
    const cache = new BuildCache(engine.ids.next(), key, name, engine.now.wall, ofClient);
    cache.ready = false;
    this.byId.set(cache.id, cache);
    return this.hold(cache, exclusive);
  }

  made(cache: BuildCache): void {
    cache.ready = true;
    this.put(cache);
  }

  /** A step that held it is over; `used` is to follow. */
  release(cache: BuildCache): void {
    cache.holders -= 1;
    if (cache.holders == 0) cache.exclusive = false;
  }

  /** A use of it is over. */
  used(cache: BuildCache): void {
    if (!cache.ready || this.find(cache.id) !== cache) return;
    cache.lastUsed = engine.now.wall;
    cache.uses += 1;
    this.put(cache);
  }

  measured(cache: BuildCache, size: i64): void {
    if (this.find(cache.id) !== cache || cache.size == size) return;
    cache.size = size;
    due.changed();
    this.put(cache);
  }

  forget(cache: BuildCache): void {
    this.byId.delete(cache.id);
    if (cache.ready) deleteRecord(CACHE_RECORDS + cache.id);
    setAside.forget(CACHE_RECORDS + cache.id);
  }

  /** Its files cannot be removed: it stays for another prune, but no mount gets it. */
  keepUseless(cache: BuildCache): void {
    const useless = new BuildCache(cache.id, "", cache.name, cache.created, cache.ofClient);
    useless.size = cache.size;
    this.byId.set(useless.id, useless);
    this.put(useless);
  }

  private hold(cache: BuildCache, exclusive: bool): BuildCache {
    cache.holders += 1;
    cache.exclusive = exclusive;
    return cache;
  }

  private put(cache: BuildCache): void {
    putRecord(CACHE_RECORDS + cache.id, cache.record());
  }
}

export const cacheStore: CacheStore = new CacheStore();

/** Whether a step holds it, or a container has it mounted: that of a build which ended with an earlier engine, too. */
export function isInUse(cache: BuildCache): bool {
  return cache.holders > 0 || isMounted(cache.source);
}

function isMounted(source: string): bool {
  const containers = containerStore.all();
  for (let i = 0; i < containers.length; i++) {
    const mounts = containers[i].mounts;
    for (let j = 0; j < mounts.length; j++) {
      if (mounts[j].kind == MountKind.Lent && mounts[j].source == source) return true;
    }
  }
  return false;
}
