// What the kernel can limit, told as dockerd tells it: by the files of its cgroup controllers.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { engine } from "../../hosts/host.js";

export type Limits = Pick<
  engine.Machine,
  "cgroupVersion" | "memoryLimit" | "swapLimit" | "pidsLimit" | "cpuCfs" | "cpuShares" | "cpuset"
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
    pidsLimit: controllers.includes("pids"),
    cpuCfs: controllers.includes("cpu"),
    cpuShares: controllers.includes("cpu"),
    cpuset: controllers.includes("cpuset"),
  };
}
