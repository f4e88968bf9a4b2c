// How well a container is, as its probes have found it, by Docker's rules and nothing of the core's: what `State.Health`
// says, what the next result makes of it, and when the next probe is due.

import type { ContainerRecord } from "../../ledger.js";

/** Of `Config.Healthcheck`; durations in nanoseconds. */
export interface Plan {
  readonly interval: bigint;
  readonly timeout: bigint;
  readonly startPeriod: bigint;
  readonly startInterval: bigint;
  readonly retries: number;
}

/** As records keep it: nanoseconds since 1970, as JavaScript reads such a number. */
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
  health?: Condition;
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

/** Null for none, and for one of numbers that JavaScript cannot tell exactly. */
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

  /** How long after this moment of its run a probe is made. */
  waitAt(runFor: bigint): bigint {
    const isYoung = this.condition.status === "starting" && runFor < this.plan.startPeriod;
    return isYoung ? this.plan.startInterval : this.plan.interval;
  }

  /** Whether its status is another one now. `runFor`: how long its run had lasted when the probe was begun. */
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

/** To compare. */
export function formOf({ status, streak, log }: Condition): string {
  const results = log.map(({ start, end, exitCode }) => `${exitCode} from ${start} to ${end}`);
  return `${status}, ${streak} failed, [${results.join("; ")}]`;
}
