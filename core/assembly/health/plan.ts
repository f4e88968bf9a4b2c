// `Config.Healthcheck`: the command, the interval, and what failures mean (surface §2.18).

import { Container } from "../container/container";
import { isZero } from "../json/asked";
import { Json } from "../json/json";
import { Members } from "../json/members";

const SECOND: i64 = 1_000_000_000;
const SHELL: string[] = ["/bin/sh", "-c"];

/** Durations in nanoseconds. */
export class HealthPlan {
  interval: i64 = 30 * SECOND;
  timeout: i64 = 30 * SECOND;
  startPeriod: i64 = 0;
  startInterval: i64 = 5 * SECOND;
  retries: i32 = 3;

  constructor(readonly command: string[]) {}

  /** Time between two checks, or from the start to the first check. */
  waitFor(runFor: i64, starting: bool): i64 {
    return starting && runFor < this.startPeriod ? this.startInterval : this.interval;
  }
}

/** Null for a container without health checks. */
export function planOf(container: Container): HealthPlan | null {
  const members = new Members(container.config);
  const check = members.tree("Healthcheck");
  if (check === null || isZero(check)) return null;
  const command = commandOf(check.stringsOf("Test"), members);
  if (command.length == 0) return null;
  const plan = new HealthPlan(command);
  plan.interval = given(check, "Interval", plan.interval);
  plan.timeout = given(check, "Timeout", plan.timeout);
  plan.startPeriod = given(check, "StartPeriod", plan.startPeriod);
  plan.startInterval = given(check, "StartInterval", plan.startInterval);
  plan.retries = <i32>min<i64>(given(check, "Retries", plan.retries), i32.MAX_VALUE);
  return plan;
}

/** Empty if there is no command, or if the first word is unknown. */
function commandOf(test: string[], members: Members): string[] {
  if (test.length == 0) return [];
  if (test[0] == "CMD") return test.slice(1);
  if (test[0] != "CMD-SHELL") return [];
  const shell = members.tree("Shell");
  const own: string[] = shell === null ? [] : shell.strings();
  return (own.length > 0 ? own : SHELL).concat(test.slice(1));
}

function given(check: Json, name: string, otherwise: i64): i64 {
  const value = check.i64Of(name);
  return value > 0 ? value : otherwise;
}
