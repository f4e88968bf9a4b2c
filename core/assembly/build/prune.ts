// POST /build/prune (surface §2.23): removes caches of `RUN --mount=type=cache` that no step uses. The steps of builds are
// images, which the prune of images removes.

import { Filters, parseFilters } from "../api/filters";
import { integerOf } from "../api/parameters";
import { Call } from "../call";
import { Event } from "../event/event";
import { eventRing } from "../event/ring";
import { JsonWriter } from "../json/writer";
import { badParameter, Refusal } from "../refusal";
import { line, sendJson } from "../reply";
import { engine } from "../state";
import { BAD_TIME, parseFilterTime } from "../text/time";
import { BuildCache } from "./caches/build-cache";
import { dropCache } from "./caches/cache-end";
import { CACHE_TYPE, descriptionOf } from "./caches/cache-list";
import { cacheStore, isInUse } from "./caches/cache-store";

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
  const pruned = pruneCaches(filters, keptBytes(call));
  let freed: i64 = 0;
  for (let i = 0; i < pruned.length; i++) freed += pruned[i].size;
  const json = new JsonWriter().beginObject();
  if (pruned.length == 0) json.nullField("CachesDeleted");
  else
    json.stringArrayField(
      "CachesDeleted",
      pruned.map<string>((cache) => cache.id),
    );
  sendJson(call, 200, line(json.i64Field("SpaceReclaimed", freed).endObject()));
  return null;
}

/**
 * Removes those that match, and tells it as an event. `kept`: bytes that stay; 0 for none. `keptFor`: those used within so
 * many nanoseconds stay.
 */
export function pruneCaches(filters: Filters, kept: i64, keptFor: i64 = 0): BuildCache[] {
  const pruned = prune(filters, kept, keptFor > 0 ? engine.now.wall - keptFor : i64.MAX_VALUE);
  let freed: i64 = 0;
  for (let i = 0; i < pruned.length; i++) freed += pruned[i].size;
  eventRing.emit(new Event("builder", "prune", "", engine.now.wall).with("reclaimed", freed.toString()));
  return pruned;
}

/** Removes those that were not used for the longest time, until no more than `kept` bytes are left. */
function prune(filters: Filters, kept: i64, unusedSince: i64): BuildCache[] {
  const caches = cacheStore.all();
  let left: i64 = 0;
  for (let i = 0; i < caches.length; i++) left += caches[i].size;
  caches.sort((a: BuildCache, b: BuildCache) => (a.lastUsed == b.lastUsed ? 0 : a.lastUsed < b.lastUsed ? -1 : 1));
  const pruned: BuildCache[] = [];
  for (let i = 0; i < caches.length; i++) {
    if (kept > 0 && left <= kept) break;
    if (caches[i].lastUsed > unusedSince || isInUse(caches[i]) || !matches(caches[i], filters)) continue;
    left -= caches[i].size;
    pruned.push(caches[i]);
    dropCache(caches[i]);
  }
  return pruned;
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

function matches(cache: BuildCache, filters: Filters): bool {
  // No cache has labels, is shared between builders, or is in use here.
  if (filters.values("label").length > 0 || isTrue(filters, "shared") || isTrue(filters, "inuse")) return false;
  if (filters.values("parent").length > 0 || isFalse(filters, "private")) return false;
  if (!filters.exact("type", CACHE_TYPE) || !filters.prefix("id", cache.id)) return false;
  if (!filters.exact("description", descriptionOf(cache))) return false;
  const times = filters.values("until").concat(filters.values("unused-for"));
  return times.length == 0 || cache.lastUsed <= parseFilterTime(times[0], engine.now.wall);
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
