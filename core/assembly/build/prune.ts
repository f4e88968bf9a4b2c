// POST /build/prune (surface §2.23): removes entries of the builder's cache that no step uses. The steps of the classic
// builder are images, which the prune of images removes.

import { Filters, parseFilters } from "../api/filters";
import { flagOf, integerOf } from "../api/parameters";
import { Call } from "../call";
import { Event } from "../event/event";
import { eventRing } from "../event/ring";
import { JsonWriter } from "../json/writer";
import { badParameter, Refusal } from "../refusal";
import { line, sendJson } from "../reply";
import { engine } from "../state";
import { BAD_TIME, parseFilterTime } from "../text/time";
import { cacheEntries, CacheEntry, childCounts } from "./caches/cache-entry";
import { EntryFilter } from "./caches/cache-filter";
import { usageOf } from "./caches/cache-list";

/** From this version on, the limits have other names. */
const WITH_LIMITS = 48;
const OLD_LIMITS: string[] = ["keep-storage"];
const LIMITS: string[] = ["reserved-space", "keep-storage", "max-used-space", "min-free-space"];
/** The fields by which cache entries can be filtered, one value each. */
const FIELDS: string[] = ["id", "parent", "type", "description", "inuse", "shared", "private"];
const KEYS: string[] = FIELDS.concat(["until", "unused-for", "label", "label!"]);

export function pruneBuildCache(call: Call): Refusal | null {
  const limits = refuseLimits(call);
  if (limits !== null) return limits;
  const filters = parseFilters(call.query.first("filters"), KEYS);
  const problem = filters.error.length > 0 ? filters.error : valueProblem(filters);
  if (problem.length > 0) return badParameter(`failed to prune build cache: ${problem}`);

  // The request is accepted from here on.
  const pruned = pruneCaches(new FilterOf(filters), new PruneLimits(keptBytes(call), 0, flagOf(call.query, "all")));
  const ids = pruned.entries.map<string>((entry) => entry.id);
  const json = new JsonWriter().beginObject();
  if (ids.length == 0) json.nullField("CachesDeleted");
  else json.stringArrayField("CachesDeleted", ids);
  sendJson(call, 200, line(json.i64Field("SpaceReclaimed", pruned.freed).endObject()));
  return null;
}

/** What a prune has removed. */
export class Pruned {
  readonly entries: CacheEntry[] = [];
  /** Bytes. */
  freed: i64 = 0;
}

/** Which entries a prune is to remove, besides its filters. */
export class PruneLimits {
  constructor(
    /** Bytes that stay; 0 for none. */
    readonly kept: i64,
    /** Those used within so many nanoseconds stay. */
    readonly keptFor: i64,
    /** Those whose bytes an image has, too, go as well. */
    readonly all: bool,
  ) {}
}

/** Removes those that match, and tells it as an event. */
export function pruneCaches(filter: EntryFilter, limits: PruneLimits): Pruned {
  const entries = cacheEntries();
  const pruned = new Pruned();
  drop(chosen(entries, filter, limits), usageOf(entries).size - limits.kept, limits.kept == 0, pruned);
  eventRing.emit(new Event("builder", "prune", "", engine.now.wall).with("reclaimed", pruned.freed.toString()));
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

/**
 * Bytes of caches that stay. How much room the disk has left is not known here: `min-free-space` alone removes all but
 * what is reserved.
 */
function keptBytes(call: Call): i64 {
  const old = integerOf(call.query, "keep-storage").value;
  if (call.version < WITH_LIMITS) return old;
  const given = integerOf(call.query, "reserved-space").value;
  const reserved = given > 0 ? given : old;
  const most = integerOf(call.query, "max-used-space").value;
  return most > reserved ? most : reserved;
}

/** The parameter `filters`. */
class FilterOf implements EntryFilter {
  constructor(private readonly filters: Filters) {}

  matches(entry: CacheEntry): bool {
    return matches(entry, this.filters);
  }
}

function matches(entry: CacheEntry, filters: Filters): bool {
  // None has labels, or is in use here.
  if (filters.values("label").length > 0 || isTrue(filters, "inuse") || filters.values("parent").length > 0)
    return false;
  if (!sharingMatches(entry.isShared, filters)) return false;
  if (!filters.exact("type", entry.type) || !filters.prefix("id", entry.id)) return false;
  if (!filters.exact("description", entry.description)) return false;
  const times = filters.values("until").concat(filters.values("unused-for"));
  return times.length == 0 || entry.lastUsed <= parseFilterTime(times[0], engine.now.wall);
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

function refuseLimits(call: Call): Refusal | null {
  const names = call.version < WITH_LIMITS ? OLD_LIMITS : LIMITS;
  for (let i = 0; i < names.length; i++) {
    const limit = integerOf(call.query, names[i]);
    if (limit.error.length == 0) continue;
    const text = call.query.first(names[i]);
    return badParameter(`${names[i]} is in bytes and expects an integer, got ${text}: ${limit.error}`);
  }
  return null;
}

function valueProblem(filters: Filters): string {
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

const ONE_VALUE: string = "filters expect only one value";
