// What the kernel can limit, told as dockerd tells it: by the files of its cgroup controllers.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { engine } from "../../hosts/shared/host.js";

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

/** `root`: where /sys stands. With controllers of v1 mounted, containers are in v1's groups, cgroup2 beside them or not. */
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
    // The root group has no weight of BFQ's: its counters tell that there is one.
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
    // What weighs has its own files, one of them in the root group; BFQ has none there.
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

/** The root group has no limits of its own: groups below it show what a controller has. */
function groupsIn(cgroups: string): string[] {
  const below = readdirSync(cgroups, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return ["", ...below.map(({ name }) => name)].map((name) => join(cgroups, name));
}

/**
 * Whether a group that has a controller, which `always` tells, has one of these files of it, too. Undefined where no
 * group has the controller: the first container brings it along.
 */
function shows(groups: readonly string[], always: string, files: readonly string[]): boolean | undefined {
  const having = groups.filter((group) => existsSync(join(group, always)));
  if (having.length === 0) return undefined;
  return having.some((group) => files.some((file) => existsSync(join(group, file))));
}

/** Whether the kernel can swap (proc_swaps(5)), and counts it for groups, which older ones can be told not to do. */
function countsSwap(root: string): boolean {
  const words = read(join(root, "proc/cmdline")).split(/\s+/);
  return existsSync(join(root, "proc/swaps")) && !words.includes("swapaccount=0");
}

/** Empty if there is no such file. */
function read(path: string): string {
  return existsSync(path) ? readFileSync(path, "utf8").trim() : "";
}
