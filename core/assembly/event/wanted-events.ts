// Which events a client wants: by time and by filters (surface §2.11).

import { Filters } from "../api/filters";
import { NO_TIME } from "../text/time";

/** Cost of looking at an event, and at one value of a filter, measured in bytes sent. */
const LOOK: i32 = 128;
const LOOK_FOR: i32 = 32;

/** The events that a client wants: nanoseconds since 1970, both inclusive; `NO_TIME` for no limit. */
export class WantedEvents {
  /** Cost of looking at an event, measured in bytes sent. */
  readonly cost: i32;

  constructor(
    readonly filters: Filters,
    readonly since: i64,
    readonly until: i64,
  ) {
    let values = 0;
    for (let i = 0; i < filters.keys.length; i++) values += filters.values(filters.keys[i]).length;
    this.cost = LOOK + LOOK_FOR * values;
  }

  takes(at: i64): bool {
    return (this.since == NO_TIME || at >= this.since) && (this.until == NO_TIME || at <= this.until);
  }
}
