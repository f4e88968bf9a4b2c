// The world's own clock but for the time of day.

import type { types } from "../../../hosts/host.js";
import type { SimulatedTime } from "../../../hosts/simulated/time.js";

export function shifted(time: SimulatedTime, now: () => types.Instant): SimulatedTime {
  return {
    now,
    at: (at, wake) => time.at(at, wake),
    get pace() {
      return time.pace;
    },
    set pace(pace) {
      time.pace = pace;
    },
    get next() {
      return time.next;
    },
    step: () => time.step(),
    advance: (ns) => time.advance(ns),
    settle: (limit) => time.settle(limit),
    enter: (act, at) => time.enter(act, at),
  };
}
