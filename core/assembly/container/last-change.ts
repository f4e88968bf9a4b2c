// The last change of a container: when, by whom, and why. It is kept in the record and shown by inspect, as an
// extension that Docker's clients ignore.

import { JsonWriter } from "../json/writer";
import { acting, Asker, ENGINE_START, Origin } from "../origin";
import { Fields } from "../records/fields";
import { formatTime } from "../text/time";

export class LastChange {
  constructor(
    /** Nanoseconds since 1970. */
    readonly at: i64,
    readonly why: string,
    /** User-Agent of the client that asked for the change; empty if there was no client, or it sent none. */
    readonly agent: string,
    /** Process id of the client; negative where it cannot be known. */
    readonly pid: i64,
    readonly uid: i64,
  ) {}
}

/** A change made in the current step. */
export function changedNow(): LastChange {
  const origin = acting.origin;
  const asker = origin.asker;
  if (asker === null) return new LastChange(acting.at, origin.why, "", -1, -1);
  const pid: i64 = asker.hasPeer ? asker.pid : -1;
  const uid: i64 = asker.hasPeer ? asker.uid : -1;
  return new LastChange(acting.at, origin.why, asker.agent, pid, uid);
}

/** The origin to restore when an operation is resumed. */
export function originOf(change: LastChange | null): Origin {
  if (change === null) return new Origin(null, ENGINE_START);
  const asker = Asker.recalled(change.agent, change.uid >= 0, <u32>change.uid, <u32>change.pid);
  return new Origin(asker, change.why);
}

/** Reads or writes the change in a container's record; records from before this field have none. */
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

/** `"Coracle": {"LastChange": {…}}`; unknown fields are left out. */
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
