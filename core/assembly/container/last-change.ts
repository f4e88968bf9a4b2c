// The last change of a container: when, by whom, and why. In its record, and in inspect as an extension that clients of
// Docker's pass over.

import { JsonWriter } from "../json/writer";
import { acting, Asker, ENGINE_START, Origin } from "../origin";
import { Fields } from "../records/fields";
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

/** In its container's record: a record that is older than this has none. */
export function lastChangeFields(fields: Fields, given: LastChange | null): LastChange {
  const change: LastChange = given === null ? UNKNOWN : given;
  const at = fields.number("at", change.at);
  const why = fields.text("why", change.why);
  const agent = fields.optionalText("agent", change.agent);
  const pid = fields.optionalWithin("pid", change.pid, UNKNOWN.pid, 0, u32.MAX_VALUE);
  const uid = fields.optionalWithin("uid", change.uid, UNKNOWN.uid, 0, u32.MAX_VALUE);
  return given === null ? new LastChange(at, why, agent, pid, uid) : given;
}

const UNKNOWN: LastChange = new LastChange(0, "", "", -1, -1);

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
