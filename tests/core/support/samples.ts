// Samples of a container's resource use, as a host reports them.

import type { engine } from "../../../hosts/shared/host.js";

const NOTHING: engine.Traffic = { bytes: 0n, packets: 0n, errors: 0n, dropped: 0n };

/** For a container on cgroup v2 with one interface. `given`: `cpu=5`, `memoryLimit=64`, `per-cpu=1,2`, `no-blocks`. */
export function sampleOf(at: bigint, given: readonly string[] = []): engine.Sample {
  const sample: engine.Sample = {
    at,
    ...{ cpu: 0n, cpuUser: 0n, cpuKernel: 0n, perCpu: new BigUint64Array() },
    ...{ machineCpu: 0n, onlineCpus: 2, periods: 0n, throttledPeriods: 0n, throttled: 0n },
    ...{ memory: 0n, memoryFailures: 0n, pids: 1n },
    memoryStat: [
      ["file", 2n],
      ["anon", 1n],
    ],
    blocks: [{ counter: "service-bytes", major: 8n, minor: 0n, operation: "read", value: 512n }],
    interfaces: [{ name: "eth0", received: { ...NOTHING, bytes: 7n }, sent: NOTHING }],
  };
  for (const word of given) set(sample, word);
  return sample;
}

function set(sample: engine.Sample, word: string): void {
  const [name = "", value = ""] = word.split("=");
  if (name === "per-cpu") sample.perCpu = BigUint64Array.from(value.split(","), BigInt);
  else if (name === "no-blocks") delete sample.blocks;
  else if (name === "onlineCpus") sample.onlineCpus = Number(value);
  else Object.assign(sample, { [name]: BigInt(value) });
}
