// What the kernel can limit, found as dockerd finds it: by the files of the cgroup controllers.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { engine } from "../../hosts/shared/index.js";

export type Limits = Pick<
  engine.Machine,
  | "cgroupVersion"
  | "memoryLimit"
  | "swapLimit"
  | "memoryReservation"
  | "swappiness"
  | "oomKillDisable"
  | "blkioWeight"
  | "blkioRates"
  | "cpuRealtime"
  | "pidsLimit"
  | "cpuCfs"
  | "cpuShares"
  | "cpuset"
  | "cpusetCpus"
  | "cpusetMems"
>;

/**
 * `root`: where /sys is. If v1 controllers are mounted, containers use v1's groups, whether or not cgroup2 is mounted
 * too.
 */
export function limitsOf(root: string): Limits {
  const cgroups = join(root, "sys/fs/cgroup");
  return existsSync(join(cgroups, "cgroup.controllers")) ? limitsOfV2(root, cgroups) : limitsOfV1(cgroups);
}

function limitsOfV1(cgroups: string): Limits {
  const has = (...file: string[]): boolean => existsSync(join(cgroups, ...file));
  return {
    cgroupVersion: "1",
    memoryLimit: has("memory", "memory.limit_in_bytes"),
    swapLimit: has("memory", "memory.memsw.limit_in_bytes"),
    memoryReservation: has("memory", "memory.soft_limit_in_bytes"),
    swappiness: has("memory", "memory.swappiness"),
    oomKillDisable: has("memory", "memory.oom_control"),
    // The root group has no BFQ weight, but its counters show that BFQ is there.
    blkioWeight: has("blkio", "blkio.weight") || has("blkio", "blkio.bfq.io_serviced"),
    blkioRates: has("blkio", "blkio.throttle.read_bps_device"),
    cpuRealtime: has("cpu", "cpu.rt_period_us"),
    // The root group has no pids.max.
    pidsLimit: has("pids", "cgroup.procs"),
    cpuCfs: has("cpu", "cpu.cfs_quota_us") && has("cpu", "cpu.cfs_period_us"),
    cpuShares: has("cpu", "cpu.shares"),
    cpuset: has("cpuset", "cpuset.cpus"),
    cpusetCpus: read(join(cgroups, "cpuset", "cpuset.cpus")),
    cpusetMems: read(join(cgroups, "cpuset", "cpuset.mems")),
  };
}

function limitsOfV2(root: string, cgroups: string): Limits {
  const controllers = readFileSync(join(cgroups, "cgroup.controllers"), "utf8").trim().split(" ");
  const groups = groupsIn(cgroups);
  return {
    cgroupVersion: "2",
    memoryLimit: controllers.includes("memory"),
    swapLimit: controllers.includes("memory") && (shows(groups, "memory.max", ["memory.swap.max"]) ?? countsSwap(root)),
    memoryReservation: controllers.includes("memory"),
    swappiness: false,
    oomKillDisable: false,
    // Weights have files of their own. One scheduler has one in the root group, too; BFQ does not.
    blkioWeight:
      controllers.includes("io") &&
      (shows(groups, "io.max", ["io.weight", "io.bfq.weight"]) ?? existsSync(join(cgroups, "io.cost.qos"))),
    blkioRates: controllers.includes("io"),
    cpuRealtime: false,
    pidsLimit: controllers.includes("pids"),
    cpuCfs: controllers.includes("cpu"),
    cpuShares: controllers.includes("cpu"),
    cpuset: controllers.includes("cpuset"),
    cpusetCpus: read(join(cgroups, "cpuset.cpus.effective")),
    cpusetMems: read(join(cgroups, "cpuset.mems.effective")),
  };
}

/** The root group has no limits of its own. Only groups below it show what a controller can do. */
function groupsIn(cgroups: string): string[] {
  const below = readdirSync(cgroups, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return ["", ...below.map(({ name }) => name)].map((name) => join(cgroups, name));
}

/**
 * Whether a group has one of these files of a controller. `always` is a file that every group with the controller has.
 * Undefined if no group has the controller: the first container enables it.
 */
function shows(groups: readonly string[], always: string, files: readonly string[]): boolean | undefined {
  const having = groups.filter((group) => existsSync(join(group, always)));
  if (having.length === 0) return undefined;
  return having.some((group) => files.some((file) => existsSync(join(group, file))));
}

/**
 * Whether the kernel can swap (proc_swaps(5)) and counts swap for groups. A boot option of older kernels turns that
 * off.
 */
function countsSwap(root: string): boolean {
  const words = read(join(root, "proc/cmdline")).split(/\s+/);
  return existsSync(join(root, "proc/swaps")) && !words.includes("swapaccount=0");
}

/** Empty if the file is missing. */
function read(path: string): string {
  return existsSync(path) ? readFileSync(path, "utf8").trim() : "";
}
