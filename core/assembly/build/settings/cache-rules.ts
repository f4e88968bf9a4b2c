// By which rules the builder's cache is collected: those of `builder.gc`, or BuildKit's own (moby/buildkit, worker).

import { Filters } from "../../api/filters";
import { Json } from "../../json/json";
import { JsonWriter } from "../../json/writer";
import { HOUR } from "../../text/duration";
import { PruneFilter, pruneFilterProblem } from "../caches/prune-filter";
import { PruneLimits, Staying } from "../caches/removal";
import { Problem, SettingsObject } from "./settings-object";

const KEYS: string[] = [
  "enabled",
  "policy",
  "defaultKeepStorage",
  "defaultReservedSpace",
  "defaultMaxUsedSpace",
  "defaultMinFreeSpace",
];
const RULE_KEYS: string[] = ["all", "filter", "keepStorage", "reservedSpace", "maxUsedSpace", "minFreeSpace"];
/** Without its filter, a rule would be about all of the cache. */
const NO_FILTERS = "it must be a list of KEY=VALUE";

/** Without settings, the cache may have this part of the disk. */
const PART: u64 = 10;
/** What is made again easily goes earlier. */
const MOST_REMAKEABLE: i64 = 512 << 20;
const REMAKEABLE_AGE: i64 = 48 * HOUR;
const AGE: i64 = 60 * 24 * HOUR;
/** What comes from clients, what mounts keep, and what comes from git. Here git leaves nothing in the cache. */
const REMAKEABLE: string[] = ["source.local", "exec.cachemount", "source.git.checkout"];

/** What may go, and when it does. */
export class CacheRule {
  constructor(
    readonly filters: Filters,
    readonly limits: PruneLimits,
  ) {}

  get filter(): PruneFilter {
    return new PruneFilter(this.filters);
  }

  /** As a message `GCPolicy`. */
  write(json: JsonWriter): void {
    const stay = this.limits.stay;
    json.beginObject().boolField("all", this.limits.all).i64Field("keepDuration", this.limits.keptFor);
    json.i64Field("reservedSpace", stay.reserved).i64Field("maxUsedSpace", stay.most);
    json.i64Field("minFreeSpace", stay.free).stringArrayField("filters", textsOf(this.filters)).endObject();
  }
}

/** None if nothing goes by itself. `disk`: its bytes; 0 if unknown. */
export function readCacheRules(given: Json | null, disk: u64, problem: Problem): CacheRule[] {
  const gc = new SettingsObject(given, "builder.gc", KEYS, problem);
  const policy = gc.items("policy");
  const rules: CacheRule[] = [];
  for (let i = 0; i < policy.length; i++) {
    rules.push(
      readRule(new SettingsObject(policy[i], `builder.gc.policy[${i.toString()}]`, RULE_KEYS, problem), problem),
    );
  }
  const reserved = reservedIn(gc, "defaultReservedSpace", "defaultKeepStorage");
  const stay = new Staying(reserved, gc.size("defaultMaxUsedSpace"), gc.size("defaultMinFreeSpace"));
  if (!gc.flag("enabled", true)) return [];
  if (gc.find("policy") !== null) return rules;
  const isLimited = stay.larger > 0 || stay.free > 0;
  return usualRules(isLimited ? stay : new Staying(<i64>(disk / PART), 0, 0));
}

function readRule(rule: SettingsObject, problem: Problem): CacheRule {
  const reserved = reservedIn(rule, "reservedSpace", "keepStorage");
  const stay = new Staying(reserved, rule.size("maxUsedSpace"), rule.size("minFreeSpace"));
  const filters = filtersIn(rule, problem);
  const why = pruneFilterProblem(filters);
  if (why.length > 0) problem.tell(rule.at("filter"), why);
  return new CacheRule(filters, new PruneLimits(stay, 0, rule.flag("all", false)));
}

/** Older versions of Docker have another name for it. */
function reservedIn(object: SettingsObject, key: string, old: string): i64 {
  const given = object.size(key);
  const before = object.size(old);
  return given > 0 ? given : before;
}

/** `["unused-for=48h"]`, or a form of older versions: `{"unused-for": {"48h": true}}`, `{"unused-for": ["48h"]}`. */
function filtersIn(rule: SettingsObject, problem: Problem): Filters {
  const filters = new Filters();
  const given = rule.find("filter");
  if (given === null) return filters;
  for (let i = 0; i < given.items.length; i++) {
    const item = given.items[i];
    if (given.isObject) {
      const values = item.isArray ? item.strings() : item.keys;
      if (values.length == 0) problem.tell(rule.at("filter"), NO_FILTERS);
      for (let j = 0; j < values.length; j++) filters.add(given.keys[i], values[j]);
    }
    const equals = item.text.indexOf("=");
    if (given.isArray && equals > 0) filters.add(item.text.slice(0, equals), item.text.slice(equals + 1));
    else if (given.isArray) problem.tell(rule.at("filter"), NO_FILTERS);
  }
  if (!given.isArray && !given.isObject) problem.tell(rule.at("filter"), NO_FILTERS);
  return filters;
}

/** What is made again easily goes first, then what is old, then what is in no image, then all. None without any limit. */
function usualRules(stay: Staying): CacheRule[] {
  const larger = stay.larger;
  if (larger == 0 && stay.free == 0) return [];
  const easily = new Staying(larger == 0 ? MOST_REMAKEABLE : min(MOST_REMAKEABLE, larger), 0, 0);
  const remakeable = new Filters();
  for (let i = 0; i < REMAKEABLE.length; i++) remakeable.add("type", REMAKEABLE[i]);
  const all = new Filters();
  return [
    new CacheRule(remakeable, new PruneLimits(easily, REMAKEABLE_AGE, false)),
    new CacheRule(all, new PruneLimits(stay, AGE, false)),
    new CacheRule(all, new PruneLimits(stay, 0, false)),
    new CacheRule(all, new PruneLimits(stay, 0, true)),
  ];
}

function textsOf(filters: Filters): string[] {
  const texts: string[] = [];
  for (let i = 0; i < filters.keys.length; i++) {
    const values = filters.values(filters.keys[i]);
    for (let j = 0; j < values.length; j++) texts.push(`${filters.keys[i]}==${values[j]}`);
  }
  return texts;
}
