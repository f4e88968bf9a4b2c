// The builder's cache as `GET /system/df` shows it (surface §2.23), and how much of it is in use.

import { JsonWriter } from "../../json/writer";
import { Usage } from "../../system/reclaimable";
import { formatTime } from "../../text/time";
import { cacheEntries, CacheEntry } from "./cache-entry";

export function writeCaches(json: JsonWriter): void {
  const entries = cacheEntries();
  json.beginArray();
  for (let i = 0; i < entries.length; i++) writeEntry(json, entries[i]);
  json.endArray();
}

export function cachesUsage(): Usage {
  return usageOf(cacheEntries());
}

/** Bytes that an image has, too, count as the image's. */
export function usageOf(entries: CacheEntry[]): Usage {
  const usage = new Usage();
  usage.count = entries.length;
  for (let i = 0; i < entries.length; i++) {
    const size = entries[i].isShared ? 0 : entries[i].size;
    usage.size += size;
    if (entries[i].inUse) usage.active += 1;
    else usage.reclaimable += size;
  }
  return usage;
}

function writeEntry(json: JsonWriter, entry: CacheEntry): void {
  json.beginObject();
  json.stringField("ID", entry.id);
  json.stringField("Type", entry.type);
  json.stringField("Description", entry.description);
  json.boolField("InUse", entry.inUse);
  json.boolField("Shared", entry.isShared);
  json.i64Field("Size", entry.size);
  json.stringField("CreatedAt", formatTime(entry.created));
  json.stringField("LastUsedAt", formatTime(entry.lastUsed));
  json.i64Field("UsageCount", entry.uses);
  json.endObject();
}
