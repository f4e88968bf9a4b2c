// How a container's health checks went (surface §2.18): what inspect shows, and its record keeps once anybody was shown it.

import { Json } from "../json/json";
import { JsonWriter } from "../json/writer";
import { formatTime } from "../text/time";

export const STARTING = "starting";
export const HEALTHY = "healthy";
export const UNHEALTHY = "unhealthy";

/** Results kept. */
const LONGEST_LOG: i32 = 5;

export class HealthResult {
  constructor(
    /** Nanoseconds since 1970. */
    readonly start: i64,
    readonly end: i64,
    /** -1 for a check that could not be made, or took too long. */
    readonly exitCode: i32,
    readonly output: string,
  ) {}
}

export class Health {
  status: string = STARTING;
  /** Failures in a row. */
  streak: i32 = 0;
  /** The newest last. It survives restarts. */
  log: HealthResult[] = [];

  /** A run begins. */
  begin(): void {
    this.status = STARTING;
    this.streak = 0;
  }

  add(result: HealthResult): void {
    if (this.log.length >= LONGEST_LOG) this.log.shift();
    this.log.push(result);
  }

  /** As the list of containers says it: `(health: starting)`, `(healthy)`. */
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

/** For the container's record. */
export function writeHealthRecord(json: JsonWriter, health: Health | null): void {
  if (health === null) return;
  json.key("health");
  json.beginObject();
  json.stringField("status", health.status);
  json.i64Field("streak", health.streak);
  json.key("log");
  json.beginArray();
  for (let i = 0; i < health.log.length; i++) {
    const result = health.log[i];
    json.beginObject();
    json.i64Field("start", result.start);
    json.i64Field("end", result.end);
    json.i64Field("exitCode", result.exitCode);
    json.stringField("output", result.output);
    json.endObject();
  }
  json.endArray();
  json.endObject();
}

export function readHealthRecord(json: Json | null): Health | null {
  if (json === null) return null;
  const health = new Health();
  health.status = json.stringOf("status");
  health.streak = <i32>json.i64Of("streak");
  const log = json.find("log");
  if (log === null) return health;
  for (let i = 0; i < log.items.length; i++) {
    const item = log.items[i];
    const code = <i32>item.i64Of("exitCode");
    health.log.push(new HealthResult(item.i64Of("start"), item.i64Of("end"), code, item.stringOf("output")));
  }
  return health;
}
