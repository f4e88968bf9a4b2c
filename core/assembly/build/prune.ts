// POST /build/prune (surface §2.23): removes entries of the builder's cache that no step uses. The steps of the classic
// builder are images, which the prune of images removes.

import { parseFilters } from "../api/filters";
import { flagOf, integerOf } from "../api/parameters";
import { Call } from "../call";
import { Event } from "../event/event";
import { eventRing } from "../event/ring";
import { JsonWriter } from "../json/writer";
import { badParameter, Refusal } from "../refusal";
import { line, sendJson } from "../reply";
import { engine } from "../state";
import { EntryFilter } from "./caches/cache-filter";
import { PRUNE_KEYS, PruneFilter, pruneFilterProblem } from "./caches/prune-filter";
import { Pruned, PruneLimits, removeEntries } from "./caches/removal";

/** From this version on, the limits have other names. */
const WITH_LIMITS = 48;
const OLD_LIMITS: string[] = ["keep-storage"];
const LIMITS: string[] = ["reserved-space", "keep-storage", "max-used-space", "min-free-space"];

export function pruneBuildCache(call: Call): Refusal | null {
  const limits = refuseLimits(call);
  if (limits !== null) return limits;
  const filters = parseFilters(call.query.first("filters"), PRUNE_KEYS);
  const problem = filters.error.length > 0 ? filters.error : pruneFilterProblem(filters);
  if (problem.length > 0) return badParameter(`failed to prune build cache: ${problem}`);

  // The request is accepted from here on.
  const pruned = pruneCaches(new PruneFilter(filters), new PruneLimits(keptBytes(call), 0, flagOf(call.query, "all")));
  const ids = pruned.entries.map<string>((entry) => entry.id);
  const json = new JsonWriter().beginObject();
  if (ids.length == 0) json.nullField("CachesDeleted");
  else json.stringArrayField("CachesDeleted", ids);
  sendJson(call, 200, line(json.i64Field("SpaceReclaimed", pruned.freed).endObject()));
  return null;
}

/** Removes those that match, and tells it as an event. */
export function pruneCaches(filter: EntryFilter, limits: PruneLimits): Pruned {
  const pruned = removeEntries(filter, limits);
  eventRing.emit(new Event("builder", "prune", "", engine.now.wall).with("reclaimed", pruned.freed.toString()));
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
