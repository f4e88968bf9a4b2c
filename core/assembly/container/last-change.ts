// The last change of a container: when, by whom, and why. In its record, and in inspect as an extension that clients of
// Docker's pass over.

import { Json } from "../json/json";
import { JsonWriter } from "../json/writer";
import { acting, Asker, ENGINE_START, Origin } from "../origin";
import { formatTime } from "../text/time";

export class LastChange {
  constructor(
    /** Nanoseconds since 1970. */
    readonly at: i64,
    readonly why: string,
    /** User-Agent of who asked for it; empty if nobody did, or it has none. */
    readonly agent: string,
    /** The asking process; less than 0 where that cannot be known. */
    readonly pid: i64,
    readonly uid: i64,
  ) {}
}

/** What is changed now. */
export function changedNow(): LastChange {
  const origin = acting.origin;
  const asker = origin.asker;
  if (asker === null) return new LastChange(acting.at, origin.why, "", -1, -1);
  const pid: i64 = asker.hasPeer ? asker.pid : -1;
  const uid: i64 = asker.hasPeer ? asker.uid : -1;
  return new LastChange(acting.at, origin.why, asker.agent, pid, uid);
}

/** On whose behalf something is resumed. */
export function originOf(change: LastChange | null): Origin {
  if (change === null) return new Origin(null, ENGINE_START);
  const asker = Asker.recalled(change.agent, change.uid >= 0, <u32>change.uid, <u32>change.pid);
  return new Origin(asker, change.why);
}

export function writeLastChangeRecord(json: JsonWriter, change: LastChange | null): void {
  if (change === null) return;
  json.key("lastChange");
  json.beginObject();
  json.i64Field("at", change.at);
  json.stringField("why", change.why);
  if (change.agent.length > 0) json.stringField("agent", change.agent);
  if (change.pid >= 0) json.i64Field("pid", change.pid);
  if (change.uid >= 0) json.i64Field("uid", change.uid);
  json.endObject();
}

/** Null for none: a record that is older than this is. */
export function readLastChangeRecord(json: Json | null): LastChange | null {
  if (json === null) return null;
  const known = json.find("uid") !== null;
  return new LastChange(
    json.i64Of("at"),
    json.stringOf("why"),
    json.stringOf("agent"),
    known ? json.i64Of("pid") : -1,
    known ? json.i64Of("uid") : -1,
  );
}

/** `"Coracle": {"LastChange": {…}}`: what is not known is left out. */
export function writeExtension(json: JsonWriter, change: LastChange | null): void {
  if (change === null) return;
  json.key("Coracle");
  json.beginObject();
  json.key("LastChange");
  json.beginObject();
  json.stringField("At", formatTime(change.at));
  json.stringField("Why", change.why);
  if (change.agent.length > 0) json.stringField("UserAgent", change.agent);
  if (change.uid >= 0) {
    json.key("Peer");
    json.beginObject();
    json.i64Field("Uid", change.uid);
    json.i64Field("Pid", change.pid);
    json.endObject();
  }
  json.endObject();
  json.endObject();
}
