// Limits of a control group, from `linux.resources` of the OCI runtime spec: which files hold them on cgroup v1 and v2
// (Linux cgroup-v1/*.rst, cgroup-v2.rst), and how to change those of a running container, either all of them or none.

import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { HostFailure, noSuch } from "../../hosts/shared/index.js";
import type { BlockIO, ThrottledDevice } from "../../hosts/shared/index.js";
import { groupOf } from "./chosen-groups.js";
import type { Cgroups } from "./cgroups.js";
import type { Resources } from "../launch/devices.js";
import type { Paths } from "../paths.js";
import { grantRealtime } from "./realtime.js";

/** Where containers' groups are. */
interface Groups {
  cgroups: Cgroups;
  paths: Paths;
}

/** A value for a file. If the file has a line for each device: one such line. */
interface Setting {
  controller: string;
  file: string;
  value: string;
  /** The file may be missing, because the kernel then behaves as asked anyway. */
  optional?: boolean;
}

/** Changes a container's limits. If the kernel refuses one, it restores the others and fails. */
export async function setLimits({ cgroups, paths }: Groups, container: string, resources: Resources): Promise<void> {
  const cpu = cgroups.controller("cpu");
  if (cpu && !cpu.v2 && resources.cpu)
    grantRealtime(join(cpu.path, dirname(groupOf(paths, container))), container, resources.cpu);
  const undone: (() => Promise<void>)[] = [];
  try {
    for (const setting of settingsOf(cgroups, container, resources)) {
      const undo = await apply(cgroups, container, setting);
      if (undo) undone.push(undo);
    }
  } catch (error) {
    for (const undo of undone.toReversed()) await undo();
    throw error;
  }
}

/** Weights for a v1 machine where only BFQ has them. OCI runtimes look for them under another scheduler's names. */
export async function setWeights(cgroups: Cgroups, container: string, blockIO: BlockIO): Promise<void> {
  const { weight, weightDevice } = blockIO;
  const own = { ...(weight && { weight }), ...(weightDevice && { weightDevice }) };
  for (const setting of blockV1(own, () => "")) await apply(cgroups, container, setting);
}

/** Whether this is v1 and BFQ is the only scheduler with weights. BFQ's root group has counters, but no weight. */
export function hasBfqWeights(cgroups: Cgroups): boolean {
  const { path, v2 } = cgroups.controller("blkio") ?? { path: "", v2: true };
  return !v2 && existsSync(join(path, "blkio.bfq.io_serviced")) && !existsSync(join(path, "blkio.weight"));
}

function settingsOf(cgroups: Cgroups, container: string, resources: Resources): Setting[] {
  const read = (controller: string, file: string): string => {
    const path = cgroups.file(container, controller, file);
    return path && existsSync(path) ? readFileSync(path, "utf8") : "";
  };
  const v2 = cgroups.controller("memory")?.v2 ?? false;
  const { memory = {}, cpu = {}, pids, blockIO = {} } = resources;
  const number = pids && [{ controller: "pids", file: "pids.max", value: pids.limit > 0 ? String(pids.limit) : "max" }];
  return [
    ...(v2 ? memoryV2(memory) : memoryV1(memory, (file) => read("memory", file))),
    ...(v2 ? cpuV2(cpu, () => read("cpu", "cpu.max")) : cpuV1(cpu)),
    ...cpusets(cpu),
    ...(number ?? []),
    ...(v2 ? blockV2(blockIO, (file) => read("io", file)) : blockV1(blockIO, (file) => read("blkio", file))),
  ];
}

/**
 * The memory limit never exceeds memory plus swap, not even for a moment. So when limits grow, the larger one is
 * written first.
 */
function memoryV1(memory: NonNullable<Resources["memory"]>, read: (file: string) => string): Setting[] {
  const { limit, swap, reservation, swappiness } = memory;
  const setting = (file: string, value: number | undefined, optional = false): Setting[] =>
    value === undefined ? [] : [{ controller: "memory", file: `memory.${file}`, value: String(value), optional }];
  const own = setting("limit_in_bytes", limit);
  const both = setting("memsw.limit_in_bytes", swap, swap === -1);
  const grows = swap === -1 || (limit ?? 0) > Number(read("memory.memsw.limit_in_bytes") || Infinity);
  return [
    ...(grows ? [...both, ...own] : [...own, ...both]),
    ...setting("soft_limit_in_bytes", reservation),
    ...setting("swappiness", swappiness),
  ];
}

/** The spec's `swap` is memory plus swap. */
function memoryV2({ limit, swap, reservation }: NonNullable<Resources["memory"]>): Setting[] {
  const setting = (file: string, value: number | undefined, optional = false): Setting[] =>
    value === undefined
      ? []
      : [{ controller: "memory", file: `memory.${file}`, value: value < 0 ? "max" : String(value), optional }];
  const own = swap === undefined || swap < 0 ? swap : swap - (limit ?? 0);
  return [...setting("swap.max", own, swap === -1), ...setting("max", limit), ...setting("low", reservation)];
}

function cpuV1(cpu: NonNullable<Resources["cpu"]>): Setting[] {
  const { shares, period, quota, realtimePeriod, realtimeRuntime } = cpu;
  const files: [string, number | undefined][] = [
    ["cpu.shares", shares],
    ["cpu.cfs_period_us", period],
    ["cpu.cfs_quota_us", quota],
    ["cpu.rt_period_us", realtimePeriod],
    ["cpu.rt_runtime_us", realtimeRuntime],
  ];
  return files.flatMap(([file, value]) =>
    value === undefined ? [] : [{ controller: "cpu", file, value: String(value) }],
  );
}

function cpuV2({ shares, period, quota }: NonNullable<Resources["cpu"]>, read: () => string): Setting[] {
  const [ownQuota = "max", ownPeriod = "100000"] = read().trim().split(" ").filter(Boolean);
  const weight = shares && String(1 + Math.floor(((shares - 2) * 9999) / 262_142)); // the OCI runtimes' conversion
  const time = quota === undefined ? ownQuota : quota > 0 ? String(quota) : "max";
  return [
    ...(weight ? [{ controller: "cpu", file: "cpu.weight", value: weight }] : []),
    ...(quota === undefined && period === undefined
      ? []
      : [{ controller: "cpu", file: "cpu.max", value: `${time} ${period ?? ownPeriod}` }]),
  ];
}

function cpusets({ cpus, mems }: NonNullable<Resources["cpu"]>): Setting[] {
  return [
    ...(cpus ? [{ controller: "cpuset", file: "cpuset.cpus", value: cpus }] : []),
    ...(mems ? [{ controller: "cpuset", file: "cpuset.mems", value: mems }] : []),
  ];
}

const THROTTLES = [
  ["throttleReadBpsDevice", "blkio.throttle.read_bps_device", "rbps"],
  ["throttleWriteBpsDevice", "blkio.throttle.write_bps_device", "wbps"],
  ["throttleReadIOPSDevice", "blkio.throttle.read_iops_device", "riops"],
  ["throttleWriteIOPSDevice", "blkio.throttle.write_iops_device", "wiops"],
] as const;

/** A device that has a rate and should have none gets 0, which means "no limit". */
function blockV1(blockIO: BlockIO, read: (file: string) => string): Setting[] {
  const setting = (file: string, value: string): Setting => ({ controller: "blkio", file, value });
  const rates = THROTTLES.flatMap(([member, file]) => {
    const wanted = new Map((blockIO[member] ?? []).map((device) => [nameOf(device), device.rate]));
    const kept = linesOf(read(file)).map(([device]) => device);
    return [...new Set([...kept, ...wanted.keys()])].map((device) =>
      setting(file, `${device} ${wanted.get(device) ?? 0}`),
    );
  });
  const weights = (blockIO.weightDevice ?? []).map((device) => `${nameOf(device)} ${device.weight}`);
  return [
    ...(blockIO.weight ? [setting("blkio.bfq.weight", String(blockIO.weight))] : []),
    ...weights.map((line) => setting("blkio.bfq.weight_device", line)),
    ...rates,
  ];
}

function blockV2(blockIO: BlockIO, read: (file: string) => string): Setting[] {
  const setting = (file: string, value: string): Setting => ({ controller: "io", file, value });
  const bfq = read("io.bfq.weight") !== "";
  const file = bfq ? "io.bfq.weight" : "io.weight";
  // Maps 10…1000 to 1…10000, as OCI runtimes do.
  const scaled = (weight: number): number => (bfq ? weight : 1 + Math.floor(((weight - 10) * 9999) / 990));
  const devices = THROTTLES.flatMap(([member]) => (blockIO[member] ?? []).map(nameOf));
  const kept = linesOf(read("io.max")).map(([device]) => device);
  const rates = [...new Set([...kept, ...devices])].map((device) => {
    const parts = THROTTLES.map(([member, , key]) => `${key}=${rateOf(blockIO[member], device) || "max"}`);
    return setting("io.max", [device, ...parts].join(" "));
  });
  const weights = (blockIO.weightDevice ?? []).map((one) => setting(file, `${nameOf(one)} ${scaled(one.weight)}`));
  return [...(blockIO.weight ? [setting(file, `default ${scaled(blockIO.weight)}`)] : []), ...weights, ...rates];
}

function rateOf(devices: ThrottledDevice[] | undefined, name: string): number {
  return devices?.findLast((device) => nameOf(device) === name)?.rate ?? 0;
}

function nameOf({ major, minor }: { major: number; minor: number }): string {
  return `${major}:${minor}`;
}

/** `254:0 1048576`, one device on each line. */
function linesOf(text: string): [device: string, rest: string][] {
  return text.split("\n").flatMap((line): [string, string][] => {
    const [, device, rest = ""] = /^(\d+:\d+) (.*)$/.exec(line) ?? [];
    return device === undefined ? [] : [[device, rest]];
  });
}

/** Writes a setting and returns how to undo it; undefined if there was nothing to do. */
async function apply(
  cgroups: Cgroups,
  container: string,
  setting: Setting,
): Promise<(() => Promise<void>) | undefined> {
  const { controller, file, value, optional = false } = setting;
  const path = cgroups.file(container, controller, file);
  if (!path || !existsSync(path)) {
    if (optional) return undefined;
    throw noSuch("kernel-file", file);
  }
  const before = readFileSync(path, "utf8");
  const [device] = /^\d+:\d+(?= )/.exec(value) ?? [];
  const previous = device === undefined ? before.trim() : `${device} ${lineBefore(before, device, file)}`;
  if (previous === value) return undefined;
  await write(path, file, value);
  return () => writeFile(path, previous);
}

/**
 * Reports a value that the kernel refuses to the client: a number too low, or a device whose scheduler does not support
 * it. The write can take a while, since the kernel looks for memory to reclaim.
 */
async function write(path: string, file: string, value: string): Promise<void> {
  try {
    await writeFile(path, value);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    throw new HostFailure({ tag: "setting", val: { file, value, error: code } });
  }
}

/** The device's line before the change. "No limit" is 0 on v1, and `max` for rates on v2. */
function lineBefore(text: string, device: string, file: string): string {
  const found = linesOf(text).find(([name]) => name === device)?.[1];
  if (found !== undefined) return found;
  if (file === "io.max") return THROTTLES.map(([, , key]) => `${key}=max`).join(" ");
  return file.startsWith("io.") ? "default" : "0";
}
