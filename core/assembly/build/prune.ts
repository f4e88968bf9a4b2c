// POST /build/prune (surface §2.23). The cache of the classic builder is made of images, which the prune of images
// removes; there is no other cache.

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
  const filters = refuseFilters(call);
  if (filters !== null) return filters;
  eventRing.emit(new Event("builder", "prune", "", engine.now.wall).with("reclaimed", "0"));
  const json = new JsonWriter().beginObject().nullField("CachesDeleted");
  sendJson(call, 200, line(json.i64Field("SpaceReclaimed", 0).endObject()));
  return null;
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

function refuseFilters(call: Call): Refusal | null {
  const filters = parseFilters(call.query.first("filters"), KEYS);
  const problem = filters.error.length > 0 ? filters.error : valueProblem(filters);
  return problem.length > 0 ? badParameter(`failed to prune build cache: ${problem}`) : null;
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
