// Removes what the settings do not let stay in the builder's cache. No event tells of it: Docker has none either.

import { CacheRule } from "../settings/cache-rules";
import { builderSettings } from "../settings/builder-settings";
import { cacheEntries, CacheEntry, mostBytes } from "./cache-entry";
import { due } from "./due";
import { ENOUGH, FreeRoom, FreeRoomClient } from "./free-room";
import { removeAmong } from "./removal";

class CacheCollector implements FreeRoomClient {
  /** The host is asked how much room there is. */
  private asks: bool = false;

  /** At the end of each step. */
  collect(): void {
    if (this.asks || !due.take()) return;
    const rules = builderSettings().rules;
    if (!isAboutFree(rules) || mostBytes() == 0) return apply(rules, ENOUGH);
    this.asks = true;
    new FreeRoom(this).ask();
  }

  freeRoomKnown(bytes: i64): void {
    this.asks = false;
    // A build has begun meanwhile.
    if (due.hasBuilds) return due.changed();
    apply(builderSettings().rules, bytes);
  }
}

export const cacheCollector: CacheCollector = new CacheCollector();

function isAboutFree(rules: CacheRule[]): bool {
  for (let i = 0; i < rules.length; i++) if (rules[i].limits.stay.free > 0) return true;
  return false;
}

/**
 * The list costs much if there are many images: it is made only if something may go, and again only if something went.
 * `free`: bytes of the disk.
 */
function apply(rules: CacheRule[], free: i64): void {
  const most = mostBytes();
  let room = free;
  let entries: CacheEntry[] | null = null;
  for (let i = 0; i < rules.length; i++) {
    const limits = rules[i].limits;
    const kept = limits.stay.keptOf(most, room);
    if (kept > 0 && most <= kept) continue;
    if (entries === null) entries = cacheEntries();
    const pruned = removeAmong(entries, rules[i].filter, limits, room);
    if (pruned.entries.length == 0) continue;
    entries = null;
    if (room != ENOUGH) room += pruned.freed;
  }
}
