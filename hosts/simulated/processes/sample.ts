// What the simulated kernel counts for a container, like cgroup v2. This world sends no packets and writes to no
// devices, so it has nothing to count for them.

import type { engine } from "../../shared/index.js";
import type { PidNamespace } from "./pid-namespace.js";

const NOTHING: engine.Traffic = { bytes: 0n, packets: 0n, errors: 0n, dropped: 0n };

/** `interfaces`: names of its network interfaces, without `lo`. */
export function sampleOf(namespace: PidNamespace, interfaces: readonly string[]): engine.Sample {
  const { kernel, limits } = namespace;
  const { wall, monotonic } = kernel.time.now();
  const memory = BigInt(namespace.allocated);
  const cpu = BigInt(Math.round(namespace.worked));
  return {
    at: wall,
    ...{ cpu, cpuUser: cpu, cpuKernel: 0n, perCpu: new BigUint64Array() },
    // The kernel's total includes idle time.
    ...{ machineCpu: monotonic * BigInt(kernel.machine.cpus), onlineCpus: kernel.machine.cpus },
    ...{ periods: 0n, throttledPeriods: 0n, throttled: 0n },
    memory,
    ...(limits.memoryAsked !== undefined && { memoryLimit: BigInt(limits.memoryAsked) }),
    memoryFailures: namespace.isOutOfMemory ? 1n : 0n,
    memoryStat: [
      ["anon", memory],
      ["file", 0n],
      ["inactive_anon", memory],
      ["active_anon", 0n],
      ["inactive_file", 0n],
      ["active_file", 0n],
    ],
    blocks: [],
    pids: BigInt(namespace.processes.size),
    ...(limits.pids !== Infinity && { pidsLimit: BigInt(limits.pids) }),
    interfaces: interfaces.map((name) => ({ name, received: NOTHING, sent: NOTHING })),
  };
}
