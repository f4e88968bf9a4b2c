// The builder's settings, as the key `builder` of Docker's daemon.json has them.

import { Json } from "../../json/json";
import { parseJson } from "../../json/reader";
import { engine } from "../../state";
import { HOUR } from "../../text/duration";
import { encodeUtf8 } from "../../text/utf8";
import { CacheRule, readCacheRules } from "./cache-rules";
import { Problem, SettingsObject } from "./settings-object";

const KEYS: string[] = ["gc", "history", "entitlements"];
/** As in BuildKit. */
const NEWEST: i32 = 50;
const LONGEST: i64 = 48 * HOUR;
/** More builds are never kept, whatever their age: each costs up to some hundred KiB, and up to 8 MiB of logs on the disk. */
export const MOST_BUILDS: i32 = 100;

export class BuilderSettings {
  /** By these, caches go by themselves, in this order. */
  rules: CacheRule[] = [];
  /** How many builds the history keeps, however old they are. */
  newest: i32 = NEWEST;
  /** How long it keeps others, in nanoseconds. */
  longest: i64 = LONGEST;
}

export function builderSettings(): BuilderSettings {
  const options = engine.options;
  return readSettings(parsed(options.builder), options.machine.storage.size, new Problem());
}

/** Why the engine cannot open with these settings; empty if it can. */
export function builderProblem(text: string): string {
  const problem = new Problem();
  const json = parsed(text);
  if (json === null && text.length > 0) problem.tell("builder", "it is not valid JSON");
  readSettings(json, 0, problem);
  return problem.text;
}

function parsed(text: string): Json | null {
  return text.length == 0 ? null : parseJson(encodeUtf8(text));
}

/** `disk`: its bytes; 0 if unknown. */
function readSettings(json: Json | null, disk: u64, problem: Problem): BuilderSettings {
  const all = new SettingsObject(json, "builder", KEYS, problem);
  const settings = new BuilderSettings();
  settings.rules = readCacheRules(all.find("gc"), disk, problem);
  const history = new SettingsObject(all.find("history"), "builder.history", ["maxAge", "maxEntries"], problem);
  settings.longest = history.duration("maxAge", LONGEST);
  settings.newest = history.count("maxEntries", NEWEST, MOST_BUILDS);
  readEntitlements(all.find("entitlements"), problem);
  return settings;
}

/** They can only say what is so anyway. */
function readEntitlements(json: Json | null, problem: Problem): void {
  const given = new SettingsObject(json, "builder.entitlements", ["network-host", "security-insecure"], problem);
  if (!given.flag("network-host", true))
    given.refuse("network-host", "steps may always ask for the host's network; leave it out");
  if (given.flag("security-insecure", false))
    given.refuse("security-insecure", "steps never run without protection; leave it out");
}
