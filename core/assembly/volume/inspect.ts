// GET /volumes and /volumes/{name} (surface §2.25).

import { FilterFlag, Filters, parseFilters } from "../api/filters";
import { Call } from "../call";
import { JsonWriter } from "../json/writer";
import { badParameter, notFound, Refusal } from "../refusal";
import { line, sendJson } from "../reply";
import { engine } from "../state";
import { formatTimeInSeconds } from "../text/time";
import { volumeStore } from "./store";
import { usersByName } from "./use";
import { Volume } from "./volume";

const ANONYMOUS: string = "com.docker.volume.anonymous";
const KEYS: string[] = ["name", "driver", "label", "dangling"];

export function listVolumes(call: Call): Refusal | null {
  const filters = parseFilters(call.query.first("filters"), KEYS);
  if (filters.error.length > 0) return badParameter(filters.error);
  const dangling = filters.flag("dangling");
  if (dangling == FilterFlag.Bad) return badParameter(filters.flagError("dangling"));
  const all = volumeStore.all();
  const users = usersByName();
  const json = new JsonWriter();
  json.beginObject();
  json.key("Volumes");
  json.beginArray();
  for (let i = 0; i < all.length; i++) {
    if (matches(all[i], filters, dangling, users.has(all[i].name))) writeVolume(json, all[i]);
  }
  json.endArray();
  json.nullField("Warnings");
  json.endObject();
  sendJson(call, 200, line(json));
  return null;
}

export function inspectVolume(call: Call): Refusal | null {
  const volume = volumeStore.find(call.name);
  if (volume === null) return notFound(`get ${call.name}: no such volume`);
  const json = new JsonWriter();
  writeVolume(json, volume);
  sendJson(call, 200, line(json));
  return null;
}

function matches(volume: Volume, filters: Filters, dangling: FilterFlag, isUsed: bool): bool {
  return (
    filters.regex("name", volume.name) &&
    filters.exact("driver", "local") &&
    filters.labels("label", labelKeysOf(volume), labelValuesOf(volume)) &&
    (dangling == FilterFlag.Absent || (dangling == FilterFlag.True) == !isUsed)
  );
}

/** The engine's own label comes first. */
export function labelKeysOf(volume: Volume): string[] {
  return volume.anonymous ? [ANONYMOUS].concat(volume.labelKeys) : volume.labelKeys;
}

export function labelValuesOf(volume: Volume): string[] {
  return volume.anonymous ? [""].concat(volume.labelValues) : volume.labelValues;
}

/** `users`: number of containers that use it; negative if the usage is not shown. */
export function writeVolume(json: JsonWriter, volume: Volume, users: i32 = -1): void {
  json.beginObject();
  json.stringField("CreatedAt", formatTimeInSeconds(volume.created));
  json.stringField("Driver", "local");
  json.key("Labels");
  writeLabels(json, volume);
  json.stringField("Mountpoint", `${engine.options.dataRoot}/volumes/${volume.name}/_data`);
  json.stringField("Name", volume.name);
  json.key("Options");
  writeOptions(json, volume);
  json.stringField("Scope", "local");
  if (users >= 0) writeUsage(json, volume, users);
  json.endObject();
}

/** Null if the client gave none, not even an empty object of them. */
function writeOptions(json: JsonWriter, volume: Volume): void {
  if (volume.optioned) json.textMap(volume.optionKeys, volume.optionValues);
  else json.null();
}

/** A size of -1 means that it is not known yet. */
function writeUsage(json: JsonWriter, volume: Volume, users: i32): void {
  json.key("UsageData");
  json.beginObject();
  json.i64Field("RefCount", users);
  json.i64Field("Size", volume.size);
  json.endObject();
}

/** Null if the client gave no labels, not even an empty object of them, as in Docker. */
function writeLabels(json: JsonWriter, volume: Volume): void {
  const keys = labelKeysOf(volume);
  const values = labelValuesOf(volume);
  if (keys.length == 0 && !volume.labelled) json.null();
  else json.textMap(keys, values);
}
