// Control.DiskUsage and Control.Prune: the builder's cache.

import { parseFilters } from "../../api/filters";
import { Call } from "../../call";
import { Json } from "../../json/json";
import { JsonWriter } from "../../json/writer";
import { endReply, headersOf, line, openReply, sendChunk } from "../../reply";
import { formatTime } from "../../text/time";
import { cacheEntries, CacheEntry } from "../caches/cache-entry";
import { pruneCaches, PruneLimits } from "../prune";
import { answer, answerError, CallError, Code, messageOf, notBuilt } from "./grpc-reply";

export function cacheUsage(call: Call): void {
  if (refuseFilters(call, messageOf(call))) return;
  const json = new JsonWriter().beginObject();
  json.key("record").beginArray();
  const entries = cacheEntries();
  for (let i = 0; i < entries.length; i++) writeEntry(json, entries[i]);
  answer(call, json.endArray().endObject());
}

export function pruneCall(call: Call): void {
  const message = messageOf(call);
  if (refuseFilters(call, message)) return;
  if (message.i64Of("minFreeSpace") > 0) return answerError(call, notBuilt("min-free-space"));
  const reserved = message.i64Of("keepBytes");
  const most = message.i64Of("maxUsedSpace");
  const kept = most > reserved ? most : reserved;
  const limits = new PruneLimits(kept, message.i64Of("keepDuration"), message.boolOf("all"));
  const pruned = pruneCaches(parseFilters("", []), limits).entries;
  openReply(call, 200, headersOf(call).json, null);
  for (let i = 0; i < pruned.length; i++) {
    const json = new JsonWriter();
    writeEntry(json, pruned[i]);
    sendChunk(call, line(json));
  }
  endReply(call);
}

/** A filter that was ignored would remove too much. Clients without one send an empty text. */
function refuseFilters(call: Call, message: Json): bool {
  const filters = message.stringsOf("filter");
  if (filters.join("").length == 0) return false;
  answerError(call, new CallError(Code.Unimplemented, "filters of the build cache are not built yet"));
  return true;
}

function writeEntry(json: JsonWriter, entry: CacheEntry): void {
  json.beginObject().stringField("ID", entry.id).boolField("Mutable", entry.isMutable);
  json.boolField("InUse", entry.inUse).i64Field("Size", entry.size).boolField("Shared", entry.isShared);
  json.stringField("CreatedAt", formatTime(entry.created)).stringField("LastUsedAt", formatTime(entry.lastUsed));
  json.i64Field("UsageCount", entry.uses).stringField("Description", entry.description);
  json.stringField("RecordType", entry.type).endObject();
}
