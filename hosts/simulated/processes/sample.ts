// What the simulated kernel counts for a container, like cgroup v2. This world writes to no devices, so it has nothing
// to count for them.

import type { engine } from "../../shared/index.js";
import type { Count, NetworkNamespace } from "../traffic/namespace.js";
import type { PidNamespace } from "./pid-namespace.js";

/** `network`: its network namespace; null if it has none. */
export function sampleOf(namespace: PidNamespace, network: NetworkNamespace | null): engine.Sample {
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
    interfaces: network === null ? [] : interfacesOf(network),
  };
}

function interfacesOf(network: NetworkNamespace): engine.Sample["interfaces"] {
  return network.counted().map(({ name, received, sent }) => ({
    ...{ name, received: trafficOf(received), sent: trafficOf(sent) },
  }));
}

function trafficOf({ bytes, packets }: Count): engine.Traffic {
  return { bytes: BigInt(bytes), packets: BigInt(packets), errors: 0n, dropped: 0n };
}
