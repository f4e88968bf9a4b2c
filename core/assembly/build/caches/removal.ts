// Removes entries of the builder's cache that nobody uses: for a prune, and by the engine itself.

import { engine } from "../../state";
import { cacheEntries, CacheEntry, childCounts } from "./cache-entry";
import { EntryFilter } from "./cache-filter";
import { usageOf } from "./cache-list";

/** What has been removed. */
export class Pruned {
  readonly entries: CacheEntry[] = [];
  /** Bytes. */
  freed: i64 = 0;
}

/** How many bytes stay; 0 for each limit that is not given. */
export class Staying {
  constructor(
    /** So many in any case. */
    readonly reserved: i64,
    /** No more than these, or than what is reserved. */
    readonly most: i64,
    /** So few that these are free on the disk. */
    readonly free: i64,
  ) {}

  /** The larger one of reserved and most space. */
  get larger(): i64 {
    return max(this.reserved, this.most);
  }

  /** Of `size` bytes, if the disk has so many free. 0: nothing stays (moby/buildkit, cache/manager.go). */
  keptOf(size: i64, free: i64): i64 {
    let kept = this.most;
    const lack = this.free > 0 ? this.free - free : 0;
    if (lack > 0) kept = kept == 0 ? size - lack : min(kept, size - lack);
    else if (this.free > 0 && kept == 0) kept = max<i64>(size, 1);
    return max(kept, this.reserved);
  }
}

/** Which entries are to go, besides a filter. */
export class PruneLimits {
  constructor(
    readonly stay: Staying,
    /** Those used within so many nanoseconds stay. */
    readonly keptFor: i64,
    /** Those whose bytes an image has, too, go as well. */
    readonly all: bool,
  ) {}
}

/** Removes those that match. `free`: bytes of the disk. */
export function removeEntries(filter: EntryFilter, limits: PruneLimits, free: i64): Pruned {
  return removeAmong(cacheEntries(), filter, limits, free);
}

/** The same, if all entries are known. */
export function removeAmong(entries: CacheEntry[], filter: EntryFilter, limits: PruneLimits, free: i64): Pruned {
  const pruned = new Pruned();
  const size = usageOf(entries).size;
  const kept = limits.stay.keptOf(size, free);
  const everything = kept == 0;
  const excess = size - kept;
  if (everything || excess > 0) drop(chosen(entries, filter, limits), excess, everything, pruned);
  return pruned;
}

/** Those that may go; first those that were not used for the longest time. */
function chosen(entries: CacheEntry[], filter: EntryFilter, limits: PruneLimits): CacheEntry[] {
  const unusedSince = limits.keptFor > 0 ? engine.now.wall - limits.keptFor : i64.MAX_VALUE;
  const found: CacheEntry[] = [];
  for (let i = 0; i < entries.length; i++) {
    const entry = entries[i];
    if (entry.inUse || (entry.isShared && !limits.all) || entry.lastUsed > unusedSince) continue;
    if (filter.matches(entry)) found.push(entry);
  }
  return found.sort((a, b) => (a.lastUsed == b.lastUsed ? 0 : a.lastUsed < b.lastUsed ? -1 : 1));
}

/**
 * Removes entries of which nothing else is made, in their order, until `excess` bytes are gone, or all. What was only
 * needed by the removed one follows at once if its turn was before: so one pass is enough.
 */
function drop(entries: CacheEntry[], excess: i64, everything: bool, pruned: Pruned): void {
  const children = childCounts();
  const turns = new Map<string, i32>();
  for (let i = 0; i < entries.length; i++) turns.set(entries[i].id, i);
  for (let turn = 0; turn < entries.length; turn++) {
    let at = turn;
    while (at >= 0 && at <= turn && (everything || pruned.freed < excess) && !isNeeded(entries[at], children)) {
      const entry = entries[at];
      pruned.freed += entry.drop();
      pruned.entries.push(entry);
      at = turns.has(entry.parent) ? turns.get(entry.parent) : -1;
      if (children.has(entry.parent)) children.set(entry.parent, children.get(entry.parent) - 1);
    }
  }
}

function isNeeded(entry: CacheEntry, children: Map<string, i32>): bool {
  return children.has(entry.id) && children.get(entry.id) > 0;
}
