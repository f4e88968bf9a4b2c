// State of a container's health checks (surface §2.18): inspect
// shows it, and the record stores it once a client was told.

import { JsonWriter } from "../json/writer";
import { Fields, listOf } from "../records/fields";
import { formatTime } from "../text/time";

/** Filters use this name for containers without health checks. */
export const NO_HEALTH = "none";
export const STARTING = "starting";
export const HEALTHY = "healthy";
export const UNHEALTHY = "unhealthy";

/** Number of results kept. */
const LONGEST_LOG: i32 = 5;

export class HealthResult {
  constructor(
    /** Nanoseconds since 1970. */
    readonly start: i64,
    readonly end: i64,
    /** -1 for a check that could not be run, or timed out. */
    readonly exitCode: i32,
    readonly output: string,
  ) {}
}

export class Health {
  status: string = STARTING;
  /** Number of failures in a row. */
  streak: i32 = 0;
  /** The newest is last. The log survives restarts. */
  log: HealthResult[] = [];

  /** A new run begins. */
  begin(): void {
    this.status = STARTING;
    this.streak = 0;
  }

  add(result: HealthResult): void {
    if (this.log.length >= LONGEST_LOG) this.log.shift();
    this.log.push(result);
  }

  /** A check has passed. */
  passed(): void {
    this.streak = 0;
    this.status = HEALTHY;
  }

  /**
   * A check has failed. `early`: it began in the start period, so it does not count while the container is starting.
   * `retries`: failures in a row that make the container unhealthy.
   */
  failed(early: bool, retries: i32): void {
    if (this.status == STARTING && early) return;
    this.streak += 1;
    if (this.streak >= retries) this.status = UNHEALTHY;
  }

  /** In the form of the list of containers: `(health: starting)`, `(healthy)`. */
  get words(): string {
    return this.status == STARTING ? "health: starting" : this.status;
  }
}

/** `State.Health`. */
export function writeHealth(json: JsonWriter, health: Health): void {
  json.beginObject();
  json.stringField("Status", health.status);
  json.i64Field("FailingStreak", health.streak);
  json.key("Log");
  json.beginArray();
  for (let i = 0; i < health.log.length; i++) {
    const result = health.log[i];
    json.beginObject();
    json.stringField("Start", formatTime(result.start));
    json.stringField("End", formatTime(result.end));
    json.i64Field("ExitCode", result.exitCode);
    json.stringField("Output", result.output);
    json.endObject();
  }
  json.endArray();
  json.endObject();
}

/** Reads or writes the state in its container's record. */
export function healthFields(fields: Fields, given: Health | null): Health {
  const health: Health = given === null ? new Health() : given;
  health.status = fields.text("status", health.status);
  health.streak = <i32>fields.number("streak", health.streak);
  listOf<HealthResult>(fields, "log", health.log, healthResultFields);
  return health;
}

function healthResultFields(fields: Fields, given: HealthResult | null): HealthResult {
  const result: HealthResult = given === null ? NO_RESULT : given;
  const start = fields.number("start", result.start);
  const end = fields.number("end", result.end);
  const exitCode = <i32>fields.number("exitCode", result.exitCode);
  const output = fields.text("output", result.output);
  return given === null ? new HealthResult(start, end, exitCode, output) : given;
}

const NO_RESULT: HealthResult = new HealthResult(0, 0, 0, "");
