// The filters of a prune of the builder's cache (surface §2.23), in requests and in settings.

import { Filters } from "../../api/filters";
import { engine } from "../../state";
import { BAD_TIME, parseFilterTime } from "../../text/time";
import { CacheEntry } from "./cache-entry";
import { EntryFilter } from "./cache-filter";

/** The fields by which cache entries can be filtered, one value each. */
const FIELDS: string[] = ["id", "parent", "type", "description", "inuse", "shared", "private"];
export const PRUNE_KEYS: string[] = FIELDS.concat(["until", "unused-for", "label", "label!"]);
const ONE_VALUE: string = "filters expect only one value";

export class PruneFilter implements EntryFilter {
  constructor(private readonly filters: Filters) {}

  matches(entry: CacheEntry): bool {
    const filters = this.filters;
    // None has labels, or is in use here.
    if (filters.values("label").length > 0 || isTrue(filters, "inuse") || filters.values("parent").length > 0)
      return false;
    if (!sharingMatches(entry.isShared, filters)) return false;
    if (!filters.exact("type", entry.type) || !filters.prefix("id", entry.id)) return false;
    if (!filters.exact("description", entry.description)) return false;
    const times = filters.values("until").concat(filters.values("unused-for"));
    return times.length == 0 || entry.lastUsed <= parseFilterTime(times[0], engine.now.wall);
  }
}

/** What is wrong with the keys and values; empty if nothing is. */
export function pruneFilterProblem(filters: Filters): string {
  for (let i = 0; i < filters.keys.length; i++) {
    if (!PRUNE_KEYS.includes(filters.keys[i])) return `invalid filter '${filters.keys[i]}'`;
  }
  const times = filters.values("until");
  const oldTimes = filters.values("unused-for");
  if (times.length > 0 && oldTimes.length > 0) return 'conflicting filters: "until" and "unused-for"';
  const key = oldTimes.length > 0 ? "unused-for" : "until";
  for (let i = 0; i < FIELDS.length; i++) if (filters.values(FIELDS[i]).length > 1) return ONE_VALUE;
  const all = times.concat(oldTimes);
  if (all.length > 1) return ONE_VALUE;
  if (all.length == 0 || parseFilterTime(all[0], engine.now.wall) != BAD_TIME) return "";
  const why = `failed to parse value as time or duration: "${all[0]}"`;
  return `"${key}" filter expects a duration (e.g., '24h') or a timestamp: ${why}`;
}

function sharingMatches(isShared: bool, filters: Filters): bool {
  if (isShared) return !isFalse(filters, "shared") && !isTrue(filters, "private");
  return !isTrue(filters, "shared") && !isFalse(filters, "private");
}

function isTrue(filters: Filters, key: string): bool {
  const values = filters.values(key);
  return values.length > 0 && !isFalse(filters, key);
}

function isFalse(filters: Filters, key: string): bool {
  const values = filters.values(key);
  return values.includes("false") || values.includes("0");
}
