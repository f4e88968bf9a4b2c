// GET /containers/{id}/logs (surface §2.7). The core only says which lines
// to send. The host reads and sends them, so that they never enter the core.

import { Box, Closing, LogObjects, LogSource } from "../../../../build/bindings/types";
import { acceptedJsonStream, JSON_LINES, JSON_SEQUENCE } from "../../api/json-streams";
import { flagOf } from "../../api/parameters";
import { Call, Follower } from "../../call";
import { badParameter, conflict, notSupported, Refusal } from "../../refusal";
import { endReply, headersOf, openReply, spliceLogs } from "../../reply";
import { BAD_TIME, parseUnixTime } from "../../text/time";
import { Container } from "../container";
import { Status } from "../lifecycle";
import { containerStore } from "../store";
import { logDriverOf } from "./log-config";
import { attributesOf, detailsOf } from "./log-details";
import { streamType } from "./stream-type";

/** From this version on, a client can get lines as JSON objects. */
const WITH_OBJECTS: i32 = 54;
/** Docker's text for a driver that keeps no logs. */
export const UNREADABLE: string = "configured logging driver does not support reading";

export function containerLogs(call: Call): Refusal | null {
  const stdout = flagOf(call.query, "stdout");
  const stderr = flagOf(call.query, "stderr");
  if (!stdout && !stderr) return badParameter("must specify at least one of 'stdout' or 'stderr'");
  const lookup = containerStore.lookUp(call.name);
  const container = lookup.container;
  if (container === null) return lookup.refusal;
  if (container.status == Status.Removing || container.status == Status.Dead) {
    return conflict("can not get logs from container which is dead or marked for removal");
  }
  if (logDriverOf(container) == "none") return notSupported(UNREADABLE);
  const since = timeOf(call, "since");
  if (since == BAD_TIME) return badTime(call, "since");
  const until = timeOf(call, "until");
  if (until == BAD_TIME) return badTime(call, "until");

  const goesOn = container.goesOn;
  const follow = flagOf(call.query, "follow") && goesOn;
  const objects = objectsType(call);
  const plain = objects.length == 0;
  const type = plain ? streamType(call, container.tty) : objects;
  openReply(call, 200, `${headersOf(call).all}\nContent-Type: ${type}`, new StopFollowing(container));
  const details = flagOf(call.query, "details");
  spliceLogs(
    call,
    new LogSource(
      container.id,
      stdout,
      stderr && !container.tty,
      plain && !container.tty,
      plain && flagOf(call.query, "timestamps"),
      plain && details ? detailsOf(container) : "",
      plain ? null : new LogObjects(details ? attributesOf(container) : "", objects == JSON_SEQUENCE, false, ""),
      since,
      // No line is from 1970 or before.
      isGiven(call, "until") ? max<i64>(1, until) : 0,
      tailOf(call.query.first("tail")),
      follow,
      !goesOn,
    ),
  );
  if (follow) container.attached.push(call);
  else endReply(call);
  return null;
}

/** The media type for lines as JSON objects; empty if the client wants plain bytes. */
function objectsType(call: Call): string {
  if (call.version < WITH_OBJECTS) return "";
  const accepted = acceptedJsonStream(call);
  return accepted.length == 0 && call.query.first("format") == "json" ? JSON_LINES : accepted;
}

/** Null means all lines: for `all`, an empty text and invalid texts. */
function tailOf(text: string): Box<u32> | null {
  if (text.length == 0 || text.length > 9) return null;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c < 0x30 || c > 0x39) return null;
  }
  return new Box<u32>(<u32>parseInt(text, 10));
}

/** 0 if no time was given; `BAD_TIME` if it is invalid. */
function timeOf(call: Call, name: string): i64 {
  return isGiven(call, name) ? parseUnixTime(call.query.first(name)) : 0;
}

/** Only a bare 0 counts as no time: `0.0` is a time. */
function isGiven(call: Call, name: string): bool {
  const text = call.query.first(name);
  return text.length > 0 && text != "0";
}

function badTime(call: Call, name: string): Refusal {
  return badParameter(`invalid value for "${name}": ${call.query.first(name)}`);
}

/** The client of a stream that ends with the run disconnected. */
export class StopFollowing extends Follower {
  constructor(private readonly container: Container) {
    super();
  }

  closed(call: Call, _why: Closing): void {
    const at = this.container.attached.indexOf(call);
    if (at >= 0) this.container.attached.splice(at, 1);
  }
}
