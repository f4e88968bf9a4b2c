// Control.DiskUsage and Control.Prune: the builder's cache.

import { Call } from "../../call";
import { JsonWriter } from "../../json/writer";
import { endReply, headersOf, line, openReply, sendChunk } from "../../reply";
import { formatTime } from "../../text/time";
import { cacheEntries, CacheEntry } from "../caches/cache-entry";
import { CacheFilter } from "../caches/cache-filter";
import { Pruned, PruneLimits, Staying } from "../caches/removal";
import { pruneCaches, PruneClient } from "../prune";
import { answer, answerError, CallError, Code, int64In, messageOf } from "./grpc-reply";

export function cacheUsage(call: Call): void {
  const filter = new CacheFilter(messageOf(call).stringsOf("filter"));
  if (filter.problem.length > 0) return answerError(call, new CallError(Code.InvalidArgument, filter.problem));
  const json = new JsonWriter().beginObject();
  json.key("record").beginArray();
  const entries = cacheEntries();
  for (let i = 0; i < entries.length; i++) if (filter.matches(entries[i])) writeEntry(json, entries[i]);
  answer(call, json.endArray().endObject());
}

export function pruneCall(call: Call): void {
  const message = messageOf(call);
  const filter = new CacheFilter(message.stringsOf("filter"));
  if (filter.problem.length > 0) return answerError(call, new CallError(Code.InvalidArgument, filter.problem));
  const stay = new Staying(
    int64In(message, "keepBytes"),
    int64In(message, "maxUsedSpace"),
    int64In(message, "minFreeSpace"),
  );
  const limits = new PruneLimits(stay, int64In(message, "keepDuration"), message.boolOf("all"));
  pruneCaches(filter, limits, new PruneAnswer(call));
}

class PruneAnswer extends PruneClient {
  pruned(pruned: Pruned): void {
    const entries = pruned.entries;
    openReply(this.call, 200, headersOf(this.call).json, null);
    for (let i = 0; i < entries.length; i++) {
      const json = new JsonWriter();
      writeEntry(json, entries[i]);
      sendChunk(this.call, line(json));
    }
    endReply(this.call);
  }
}

function writeEntry(json: JsonWriter, entry: CacheEntry): void {
  json.beginObject().stringField("ID", entry.id).boolField("Mutable", entry.isMutable);
  json.boolField("InUse", entry.inUse).i64Field("Size", entry.size).boolField("Shared", entry.isShared);
  json.stringField("CreatedAt", formatTime(entry.created)).stringField("LastUsedAt", formatTime(entry.lastUsed));
  json.i64Field("UsageCount", entry.uses).stringField("Description", entry.description);
  json.stringField("RecordType", entry.type);
  if (entry.parent.length > 0) json.stringArrayField("Parents", [entry.parent]);
  json.endObject();
}
