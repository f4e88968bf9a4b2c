// `HostConfig.CpuShares`: the range that kernels support (cgroup v1, sched-design-CFS). Docker accepts any number at
// create. On cgroup v1 setting a number out of range fails; on cgroup v2, where shares become a weight, it is clamped.

import { Json } from "../../json/json";
import { engine } from "../../state";

const LEAST: i64 = 2;
const MOST: i64 = 262_144;

/** Why the shares cannot be set, in runc's words; empty if they can. Numbers below 1 set nothing. */
export function sharesProblem(shares: i64): string {
  if (shares <= 0 || engine.options.machine.cgroupVersion != "1") return "";
  if (shares < LEAST) return `the minimum allowed cpu-shares is ${LEAST.toString()}`;
  return shares > MOST ? `the maximum allowed cpu-shares is ${MOST.toString()}` : "";
}

/** The value for the OCI runtime; 0 to leave it unset. */
export function boundedShares(hostConfig: Json): i64 {
  const shares = hostConfig.i64Of("CpuShares");
  return shares <= 0 ? 0 : max(LEAST, min(MOST, shares));
}
