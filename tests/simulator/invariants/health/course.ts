// A container's health by Docker's rules, independent of the core: the content of `State.Health`, how a result changes
// it, and when the next probe is due.

import type { ContainerRecord } from "../../ledger.js";

/** The settings of `Config.Healthcheck`, with durations in nanoseconds. */
export interface Plan {
  readonly interval: bigint;
  readonly timeout: bigint;
  readonly startPeriod: bigint;
  readonly startInterval: bigint;
  readonly retries: number;
}

/** A result as in records: nanoseconds since 1970, as JavaScript parses such a number. */
export interface Result {
  readonly start: number;
  readonly end: number;
  readonly exitCode: number;
}

export interface Condition {
  status: string;
  streak: number;
  log: Result[];
}

export interface Probed extends ContainerRecord {
  config: { Healthcheck?: Healthcheck | null };
}

interface Healthcheck {
  Test?: string[] | null;
  Interval?: number;
  Timeout?: number;
  StartPeriod?: number;
  StartInterval?: number;
  Retries?: number;
}

const SECOND = 1_000_000_000;
const LONGEST_LOG = 5;

/** Null if there is no health check, or if its numbers are too large for JavaScript. */
export function planOf({ Healthcheck: check }: Probed["config"]): Plan | null {
  const [form, ...words] = check?.Test ?? [];
  if (!check || (form !== "CMD-SHELL" && (form !== "CMD" || words.length === 0))) return null;
  const given = (value: number | undefined, otherwise: number): number => (value && value > 0 ? value : otherwise);
  const [interval, timeout] = [given(check.Interval, 30 * SECOND), given(check.Timeout, 30 * SECOND)];
  const [startPeriod, startInterval] = [given(check.StartPeriod, 0), given(check.StartInterval, 5 * SECOND)];
  const retries = given(check.Retries, 3);
  const all = [interval, timeout, startPeriod, startInterval, retries];
  if (!all.every(Number.isSafeInteger)) return null;
  const [every, most, grace, often] = all.map(BigInt) as [bigint, bigint, bigint, bigint];
  return { interval: every, timeout: most, startPeriod: grace, startInterval: often, retries };
}

export class HealthCourse {
  constructor(
    readonly plan: Plan,
    readonly condition: Condition,
  ) {}

  /** The wait until the next probe, for a run that has lasted this long. */
  waitAt(runFor: bigint): bigint {
    const isYoung = this.condition.status === "starting" && runFor < this.plan.startPeriod;
    return isYoung ? this.plan.startInterval : this.plan.interval;
  }

  /** Adds a result. True if the status has changed. `runFor`: how long the run had lasted when the probe started. */
  add(exitCode: number, begun: bigint, ended: bigint, runFor: bigint): boolean {
    const { condition, plan } = this;
    const before = condition.status;
    condition.log = [...condition.log, { exitCode, start: Number(begun), end: Number(ended) }].slice(-LONGEST_LOG);
    if (exitCode === 0) [condition.status, condition.streak] = ["healthy", 0];
    else if (condition.status !== "starting" || runFor >= plan.startPeriod) {
      condition.streak += 1;
      if (condition.streak >= plan.retries) condition.status = "unhealthy";
    }
    return condition.status !== before;
  }
}

/** A text for comparisons. */
export function formOf({ status, streak, log }: Condition): string {
  const results = log.map(({ start, end, exitCode }) => `${exitCode} from ${start} to ${end}`);
  return `${status}, ${streak} failed, [${results.join("; ")}]`;
}
