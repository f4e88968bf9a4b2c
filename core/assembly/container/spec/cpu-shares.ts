// `HostConfig.CpuShares`: the range that kernels have (cgroup v1, sched-design-CFS). Docker takes any number at create;
// what is beyond fails on cgroup v1 when it is to be set, and is bounded where shares become a weight (cgroup v2).

import { Json } from "../../json/json";
import { engine } from "../../state";

const LEAST: i64 = 2;
const MOST: i64 = 262_144;

/** Why shares cannot be set, in runc's words; empty if they can. Less than 1 asks for none. */
export function sharesProblem(shares: i64): string {
  if (shares <= 0 || engine.options.machine.cgroupVersion != "1") return "";
  if (shares < LEAST) return `the minimum allowed cpu-shares is ${LEAST.toString()}`;
  return shares > MOST ? `the maximum allowed cpu-shares is ${MOST.toString()}` : "";
}

/** What is asked of the OCI runtime; 0 for nothing. */
export function boundedShares(hostConfig: Json): i64 {
  const shares = hostConfig.i64Of("CpuShares");
  return shares <= 0 ? 0 : max(LEAST, min(MOST, shares));
}
