// Caches as `GET /system/df` shows them (surface §2.23), and how much of them is in use.

import { JsonWriter } from "../../json/writer";
import { Usage } from "../../system/reclaimable";
import { formatTime } from "../../text/time";
import { BuildCache } from "./build-cache";
import { cacheStore, isInUse } from "./cache-store";

/** The type of all entries; the steps of builds are images. */
export const CACHE_TYPE: string = "exec.cachemount";

export function writeCaches(json: JsonWriter): void {
  const caches = cacheStore.all();
  json.beginArray();
  for (let i = 0; i < caches.length; i++) writeCache(json, caches[i]);
  json.endArray();
}

/** As BuildKit describes it. */
export function descriptionOf(cache: BuildCache): string {
  return `cached mount ${cache.name} from a build`;
}

export function cachesUsage(): Usage {
  const usage = new Usage();
  const caches = cacheStore.all();
  usage.count = caches.length;
  for (let i = 0; i < caches.length; i++) {
    usage.size += caches[i].size;
    if (isInUse(caches[i])) usage.active += 1;
    else usage.reclaimable += caches[i].size;
  }
  return usage;
}

function writeCache(json: JsonWriter, cache: BuildCache): void {
  json.beginObject();
  json.stringField("ID", cache.id);
  json.stringField("Type", CACHE_TYPE);
  json.stringField("Description", descriptionOf(cache));
  json.boolField("InUse", isInUse(cache));
  json.boolField("Shared", false);
  json.i64Field("Size", cache.size);
  json.stringField("CreatedAt", formatTime(cache.created));
  json.stringField("LastUsedAt", formatTime(cache.lastUsed));
  json.i64Field("UsageCount", cache.uses);
  json.endObject();
}
