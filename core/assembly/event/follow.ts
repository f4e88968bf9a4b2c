// GET /events (surface §2.11). With `since`, a client gets everything in the journal from then on; with `until` alone,
// only the last events, as in Docker; with neither, only new events.

import { parseFilters } from "../api/filters";
import { acceptedJsonStream, JSON_LINES } from "../api/json-streams";
import { Call } from "../call";
import { badParameter, Refusal } from "../refusal";
import { BAD_TIME, NO_TIME, parseUnixTime } from "../text/time";
import { Reading } from "./reading";
import { eventRing, KEPT } from "./ring";
import { WantedEvents } from "./wanted-events";

/** From this version on, the media type says that the body consists of lines. */
const WITH_LINES = 52;

export function followEvents(call: Call): Refusal | null {
  const filters = parseFilters(call.query.first("filters"), null);
  if (filters.error.length > 0) return badParameter(filters.error);
  const since = timeOf(call, "since");
  const until = timeOf(call, "until");
  if (since == BAD_TIME || until == BAD_TIME) {
    const name = since == BAD_TIME ? "since" : "until";
    return badParameter(`invalid value for "${name}": ${call.query.first(name)}`);
  }
  if (until != NO_TIME && since > until) {
    const times = `\`since\` time (${call.query.first("since")}) cannot be after \`until\` time (${call.query.first("until")})`;
    return badParameter(times);
  }
  new Reading(call, new WantedEvents(filters, since, until), typeOf(call)).begin(startOf(since, until));
  return null;
}

/** Position of the first event to look at; 0 if it has to be read from the journal. */
function startOf(since: i64, until: i64): u64 {
  const next = eventRing.next;
  if (since != NO_TIME) return 0;
  if (until == NO_TIME) return next;
  return next > KEPT ? next - KEPT : 1;
}

/** Clients convert durations and dates to seconds themselves. */
function timeOf(call: Call, name: string): i64 {
  const text = call.query.first(name);
  return text.length == 0 ? NO_TIME : parseUnixTime(text);
}

function typeOf(call: Call): string {
  const accepted = acceptedJsonStream(call);
  if (accepted.length > 0) return accepted;
  return call.version >= WITH_LINES ? JSON_LINES : "application/json";
}
