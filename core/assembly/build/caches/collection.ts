// Removes what the settings do not let stay in the builder's cache. No event tells of it: Docker has none either.

import { CacheRule } from "../settings/cache-rules";
import { builderSettings } from "../settings/builder-settings";
import { cacheEntries, CacheEntry, mostBytes } from "./cache-entry";
import { due } from "./due";
import { removeAmong } from "./removal";

/** At the end of each step. */
export function collectCaches(): void {
  if (due.take()) apply(builderSettings().rules);
}

/** The list costs much if there are many images: it is made only if something may go, and again only if something went. */
function apply(rules: CacheRule[]): void {
  const most = mostBytes();
  let entries: CacheEntry[] | null = null;
  for (let i = 0; i < rules.length; i++) {
    const limits = rules[i].limits;
    if (limits.kept > 0 && most <= limits.kept) continue;
    if (entries === null) entries = cacheEntries();
    if (removeAmong(entries, rules[i].filter, limits).entries.length > 0) entries = null;
  }
}
