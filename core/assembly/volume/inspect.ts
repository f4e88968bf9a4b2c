// GET /volumes and /volumes/{name} (surface §2.25).

import { FilterFlag, Filters, parseFilters } from "../api/filters";
import { Call } from "../call";
import { JsonWriter } from "../json/writer";
import { badParameter, notFound, Refusal } from "../refusal";
import { line, sendJson } from "../reply";
import { engine } from "../state";
import { formatTimeInSeconds } from "../text/time";
import { Volume } from "./store";

const KEYS: string[] = ["name", "driver", "label", "dangling"];

export function listVolumes(call: Call): Refusal | null {
  const filters = parseFilters(call.query.first("filters"), KEYS);
  if (filters.error.length > 0) return badParameter(filters.error);
  const dangling = filters.flag("dangling");
  if (dangling == FilterFlag.Bad) return badParameter(filters.flagError("dangling"));
  const all = engine.volumes.all();
  const json = new JsonWriter();
  json.beginObject();
  json.key("Volumes");
  json.beginArray();
  for (let i = 0; i < all.length; i++) {
    if (matches(all[i], filters, dangling)) writeVolume(json, all[i]);
  }
  json.endArray();
  json.nullField("Warnings");
  json.endObject();
  sendJson(call, 200, line(json));
  return null;
}

export function inspectVolume(call: Call): Refusal | null {
  const volume = engine.volumes.find(call.name);
  if (volume === null) return notFound(`get ${call.name}: no such volume`);
  const json = new JsonWriter();
  writeVolume(json, volume);
  sendJson(call, 200, line(json));
  return null;
}

function matches(volume: Volume, filters: Filters, dangling: FilterFlag): bool {
  return (
    filters.regex("name", volume.name) &&
    filters.exact("driver", "local") &&
    filters.labels("label", ["com.docker.volume.anonymous"], [""]) &&
    (dangling == FilterFlag.Absent || (dangling == FilterFlag.True) == !used(volume))
  );
}

function used(volume: Volume): bool {
  const containers = engine.containers.all();
  for (let i = 0; i < containers.length; i++) {
    for (let j = 0; j < containers[i].volumes.length; j++) {
      if (containers[i].volumes[j].name == volume.name) return true;
    }
  }
  return false;
}

function writeVolume(json: JsonWriter, volume: Volume): void {
  json.beginObject();
  json.stringField("CreatedAt", formatTimeInSeconds(volume.created));
  json.stringField("Driver", "local");
  json.key("Labels");
  json.beginObject();
  json.stringField("com.docker.volume.anonymous", "");
  json.endObject();
  json.stringField("Mountpoint", `${engine.options.dataRoot}/volumes/${volume.name}/_data`);
  json.stringField("Name", volume.name);
  json.nullField("Options");
  json.stringField("Scope", "local");
  json.endObject();
}
