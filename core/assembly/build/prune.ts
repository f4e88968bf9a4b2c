// POST /build/prune (surface §2.23): removes entries of the builder's cache that no step uses. The steps of the classic
// builder are images, which the prune of images removes.

import { parseFilters } from "../api/filters";
import { flagOf, integerOf } from "../api/parameters";
import { Call } from "../call";
import { Event } from "../event/event";
import { eventRing } from "../event/ring";
import { JsonWriter } from "../json/writer";
import { openCalls } from "../open-calls";
import { badParameter, Refusal } from "../refusal";
import { line, sendJson } from "../reply";
import { engine } from "../state";
import { EntryFilter } from "./caches/cache-filter";
import { ENOUGH, FreeRoom, FreeRoomClient } from "./caches/free-room";
import { PRUNE_KEYS, PruneFilter, pruneFilterProblem } from "./caches/prune-filter";
import { Pruned, PruneLimits, removeEntries, Staying } from "./caches/removal";

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
  pruneCaches(new PruneFilter(filters), new PruneLimits(staying(call), 0, flagOf(call.query, "all")), new Answer(call));
  return null;
}

/** Whose prune it is. */
export abstract class PruneClient {
  constructor(readonly call: Call) {}

  abstract pruned(pruned: Pruned): void;
}

/** Removes those that match, and tells it as an event; nothing if the client has left before the room is known. */
export function pruneCaches(filter: EntryFilter, limits: PruneLimits, client: PruneClient): void {
  const prune = new Prune(filter, limits, client);
  if (limits.stay.free <= 0) return prune.freeRoomKnown(ENOUGH);
  openCalls.add(client.call);
  new FreeRoom(prune).ask();
}

class Prune implements FreeRoomClient {
  constructor(
    private readonly filter: EntryFilter,
    private readonly limits: PruneLimits,
    private readonly client: PruneClient,
  ) {}

  freeRoomKnown(bytes: i64): void {
    if (!this.client.call.gone) this.client.pruned(removeNow(this.filter, this.limits, bytes));
  }
}

function removeNow(filter: EntryFilter, limits: PruneLimits, free: i64): Pruned {
  const pruned = removeEntries(filter, limits, free);
  eventRing.emit(new Event("builder", "prune", "", engine.now.wall).with("reclaimed", pruned.freed.toString()));
  return pruned;
}

/** Of `POST /build/prune`. */
class Answer extends PruneClient {
  pruned(pruned: Pruned): void {
    const ids = pruned.entries.map<string>((entry) => entry.id);
    const json = new JsonWriter().beginObject();
    if (ids.length == 0) json.nullField("CachesDeleted");
    else json.stringArrayField("CachesDeleted", ids);
    sendJson(this.call, 200, line(json.i64Field("SpaceReclaimed", pruned.freed).endObject()));
  }
}

function staying(call: Call): Staying {
  const old = integerOf(call.query, "keep-storage").value;
  if (call.version < WITH_LIMITS) return new Staying(old, 0, 0);
  const given = integerOf(call.query, "reserved-space").value;
  const most = integerOf(call.query, "max-used-space").value;
  return new Staying(given > 0 ? given : old, most, integerOf(call.query, "min-free-space").value);
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
