// Control.DiskUsage and Control.Prune: the caches of `RUN --mount=type=cache`. The steps of builds are images, which the prune
// of images removes.

import { parseFilters } from "../../api/filters";
import { Call } from "../../call";
import { Json } from "../../json/json";
import { JsonWriter } from "../../json/writer";
import { endReply, headersOf, line, openReply, sendChunk } from "../../reply";
import { formatTime } from "../../text/time";
import { BuildCache } from "../caches/build-cache";
import { CACHE_TYPE, descriptionOf } from "../caches/cache-list";
import { cacheStore, isInUse } from "../caches/cache-store";
import { pruneCaches } from "../prune";
import { answer, answerError, CallError, Code, messageOf, notBuilt } from "./grpc-reply";

export function cacheUsage(call: Call): void {
  if (refuseFilters(call, messageOf(call))) return;
  const json = new JsonWriter().beginObject();
  json.key("record").beginArray();
  const caches = cacheStore.all();
  for (let i = 0; i < caches.length; i++) writeCache(json, caches[i]);
  answer(call, json.endArray().endObject());
}

export function pruneCall(call: Call): void {
  const message = messageOf(call);
  if (refuseFilters(call, message)) return;
  if (message.i64Of("minFreeSpace") > 0) return answerError(call, notBuilt("min-free-space"));
  const reserved = message.i64Of("keepBytes");
  const most = message.i64Of("maxUsedSpace");
  const kept = most > reserved ? most : reserved;
  const pruned = pruneCaches(parseFilters("", []), kept, message.i64Of("keepDuration"));
  openReply(call, 200, headersOf(call).json, null);
  for (let i = 0; i < pruned.length; i++) {
    const json = new JsonWriter();
    writeCache(json, pruned[i]);
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

function writeCache(json: JsonWriter, cache: BuildCache): void {
  json.beginObject().stringField("ID", cache.id).boolField("Mutable", true);
  json.boolField("InUse", isInUse(cache)).i64Field("Size", cache.size);
  json.stringField("CreatedAt", formatTime(cache.created)).stringField("LastUsedAt", formatTime(cache.lastUsed));
  json.i64Field("UsageCount", cache.uses).stringField("Description", descriptionOf(cache));
  json.stringField("RecordType", CACHE_TYPE).endObject();
}
