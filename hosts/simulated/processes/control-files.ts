// The cgroup that a container sees in /sys/fs/cgroup (Linux cgroup-v2.rst), with its current limits.

import type { BlockIO, ThrottledDevice } from "../../shared/index.js";
import type { Resources } from "./oci-spec.js";

/** Paths below /sys, and a function that makes the content of each. */
export function controlFiles(now: () => Resources): [string, () => string][] {
  const files: [string, (resources: Resources) => string][] = [
    ["memory.max", ({ memory }) => limit(memory?.limit)],
    ["memory.low", ({ memory }) => String(memory?.reservation ?? 0)],
    ["memory.swap.max", ({ memory }) => swapOf(memory)],
    ["pids.max", ({ pids }) => limit(pids?.limit)],
    ["cpu.max", ({ cpu }) => `${limit(cpu?.quota)} ${cpu?.period ?? 100_000}`],
    ["cpu.weight", ({ cpu }) => String(weightOf(cpu?.shares ?? 0))],
    ["cpuset.cpus", ({ cpu }) => cpu?.cpus ?? ""],
    ["cpuset.mems", ({ cpu }) => cpu?.mems ?? ""],
    ["io.weight", ({ blockIO }) => weightsOf(blockIO)],
    ["io.max", ({ blockIO }) => ratesOf(blockIO)],
  ];
  return files.map(([name, text]) => [`fs/cgroup/${name}`, () => lines(text(now()))]);
}

function lines(text: string): string {
  return text === "" ? "" : `${text}\n`;
}

function limit(value: number | undefined): string {
  return value !== undefined && value > 0 ? String(value) : "max";
}

/** The spec's number is the sum of memory and swap. */
function swapOf(memory: Resources["memory"]): string {
  const { limit: own = 0, swap = 0 } = memory ?? {};
  return swap > 0 ? String(swap - own) : "max";
}

/** Converts 2 to 262144 shares to a weight of 1 to 10000, as OCI runtimes do (runtime-spec). */
function weightOf(shares: number): number {
  return shares === 0 ? 100 : 1 + Math.floor(((shares - 2) * 9999) / 262_142);
}

function weightsOf({ weight = 100, weightDevice = [] }: BlockIO = {}): string {
  const own = weightDevice.map((device) => `${device.major}:${device.minor} ${device.weight}`);
  return [`default ${weight}`, ...own].join("\n");
}

const RATES: readonly [string, (blockIO: BlockIO) => ThrottledDevice[] | undefined][] = [
  ["rbps", (blockIO) => blockIO.throttleReadBpsDevice],
  ["wbps", (blockIO) => blockIO.throttleWriteBpsDevice],
  ["riops", (blockIO) => blockIO.throttleReadIOPSDevice],
  ["wiops", (blockIO) => blockIO.throttleWriteIOPSDevice],
];

function ratesOf(blockIO: BlockIO = {}): string {
  const given = RATES.map(([name, of]) => [name, of(blockIO) ?? []] as const);
  const devices = new Set(given.flatMap(([, rates]) => rates.map(({ major, minor }) => `${major}:${minor}`)));
  const rateOf = (rates: ThrottledDevice[], device: string): number =>
    rates.findLast(({ major, minor }) => `${major}:${minor}` === device)?.rate ?? 0;
  return [...devices]
    .map((device) => [device, ...given.map(([name, rates]) => `${name}=${limit(rateOf(rates, device))}`)].join(" "))
    .join("\n");
}
