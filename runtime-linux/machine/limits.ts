// What the kernel can limit, told as dockerd tells it: by the files of its cgroup controllers.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { engine } from "../../hosts/host.js";

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
>;

/** `root`: where /sys stands. With controllers of v1 mounted, containers are in v1's groups, cgroup2 beside them or not. */
export function limitsOf(root: string): Limits {
  const cgroups = join(root, "sys/fs/cgroup");
  return existsSync(join(cgroups, "cgroup.controllers")) ? limitsOfV2(cgroups) : limitsOfV1(cgroups);
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
  };
}

function limitsOfV2(cgroups: string): Limits {
  const controllers = readFileSync(join(cgroups, "cgroup.controllers"), "utf8").trim().split(" ");
  // The root group has no limits of its own; what swap has shows in any group below.
  const groups = readdirSync(cgroups, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return {
    cgroupVersion: "2",
    memoryLimit: controllers.includes("memory"),
    swapLimit: ["", ...groups.map(({ name }) => name)].some((name) =>
      existsSync(join(cgroups, name, "memory.swap.max")),
    ),
    memoryReservation: controllers.includes("memory"),
    swappiness: false,
    oomKillDisable: false,
    blkioWeight: controllers.includes("io"),
    blkioRates: controllers.includes("io"),
    cpuRealtime: false,
    pidsLimit: controllers.includes("pids"),
    cpuCfs: controllers.includes("cpu"),
    cpuShares: controllers.includes("cpu"),
    cpuset: controllers.includes("cpuset"),
  };
}
