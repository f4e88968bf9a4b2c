// Which builds of the history are meant, as clients of BuildKit say it: `status==error`, `ref~=^ab`, and of times
// `startedAt>=48h`, `completedAt<2026-01-01T00:00:00Z`, `duration>10s`.

import { engine } from "../../../state";
import { BAD_DURATION, parseDuration } from "../../../text/duration";
import { isFullTime, parseTime, unixSeconds } from "../../../text/time";
import { Condition, FieldFilter, Filtered } from "../../field-filter";
import { BuildRecord } from "./build-record";

const OPERATORS: string[] = [">=", "<=", ">", "<"];
const TIMES: string[] = ["startedAt", "completedAt"];
const DURATION = "duration";

export class HistoryFilter extends FieldFilter {
  protected conditionIn(part: string): Condition | null {
    for (let i = 0; i < OPERATORS.length; i++) {
      const at = part.indexOf(OPERATORS[i]);
      const field = at < 0 ? "" : part.slice(0, at);
      if (field != DURATION && !TIMES.includes(field)) continue;
      return new TimeCondition(field, OPERATORS[i], part.slice(at + OPERATORS[i].length));
    }
    return super.conditionIn(part);
  }
}

/** Times are compared in whole seconds. */
class TimeCondition extends Condition {
  private readonly limit: i64;
  private readonly isBroken: bool;

  constructor(
    private readonly field: string,
    private readonly operator: string,
    private readonly value: string,
  ) {
    super();
    const duration = parseDuration(value);
    const isTime = field != DURATION && duration == BAD_DURATION;
    this.isBroken = duration == BAD_DURATION && !(isTime && isFullTime(value));
    // A duration in the place of a time is how long ago that was.
    const time = isTime ? parseTime(value) : engine.now.wall - duration;
    this.limit = field == DURATION ? duration : unixSeconds(time);
  }

  get problem(): string {
    if (!this.isBroken) return "";
    return this.field == DURATION ? `invalid duration ${this.value}` : `invalid time ${this.value}`;
  }

  matches(thing: Filtered): bool {
    const value = this.valueOf(<BuildRecord>thing);
    if (this.operator == ">=") return value >= this.limit;
    if (this.operator == "<=") return value <= this.limit;
    return this.operator == ">" ? value > this.limit : value < this.limit;
  }

  /** What has not happened yet is at 0. */
  private valueOf(build: BuildRecord): i64 {
    if (this.field == TIMES[0]) return unixSeconds(build.created);
    if (build.completed == 0) return 0;
    return this.field == DURATION ? build.completed - build.created : unixSeconds(build.completed);
  }
}
