// New limits, written to files that look like cgroup files: which are written, in which order, and how they are undone.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { Cgroups } from "../../../runtime-linux/cgroups/cgroups.js";
import { setLimits } from "../../../runtime-linux/cgroups/limits.js";
import { Paths } from "../../../runtime-linux/paths.js";
import { Recorder } from "../../../runtime-linux/kernel/recorder.js";

const ID = "e".repeat(64);
const paths = new Paths({ data: "/data", exec: "/run/coracle" });
const scratch = mkdtempSync(join(tmpdir(), "coracle-limits-"));
afterAll(() => rmSync(scratch, { recursive: true }));

/** Cgroups of one container: the files of its cgroup, by hierarchy (`v2`, or a controller of v1). */
function groups(name: string, hierarchies: Record<string, Record<string, string>>) {
  const mounts = Object.entries(hierarchies).map(([hierarchy, files]) => {
    const root = join(scratch, name, hierarchy);
    const group = join(root, paths.cgroup(ID));
    mkdirSync(group, { recursive: true });
    for (const [file, text] of Object.entries(files)) writeFileSync(join(group, file), text);
    const type = hierarchy === "v2" ? "cgroup2" : "cgroup";
    return `31 23 0:28 / ${root} rw,relatime - ${type} ${type} rw,${hierarchy}\n`;
  });
  const read = (hierarchy: string, file: string) =>
    readFileSync(join(scratch, name, hierarchy, paths.cgroup(ID), file), "utf8");
  const at = { cgroups: new Cgroups(new Recorder(), paths, mounts.join("")), paths };
  return { set: (resources: Parameters<typeof setLimits>[2]) => setLimits(at, ID, resources), read };
}

const V2 = {
  "memory.max": "max\n",
  "memory.swap.max": "max\n",
  "memory.low": "0\n",
  "cpu.max": "max 100000\n",
  "cpu.weight": "100\n",
  "cpuset.cpus": "\n",
  "cpuset.mems": "\n",
  "pids.max": "max\n",
  "io.weight": "default 100\n",
  "io.max": "",
};

it("converts units that differ in cgroup v2", async () => {
  const { set, read } = groups("converted", { v2: V2 });
  await set({
    memory: { limit: 64, swap: 96, reservation: 32 },
    cpu: { shares: 1024, quota: 5000, cpus: "0", mems: "0" },
    pids: { limit: 9 },
    blockIO: { weight: 500 },
  });
  const values = Object.keys(V2).map((file) => [file, read("v2", file)]);
  expect(Object.fromEntries(values)).toEqual({
    ...{ "memory.max": "64", "memory.swap.max": "32", "memory.low": "32" },
    ...{ "cpu.max": "5000 100000", "cpu.weight": "39", "cpuset.cpus": "0", "cpuset.mems": "0", "pids.max": "9" },
    ...{ "io.weight": "default 4950", "io.max": "" },
  });
});

it("removes limits again", async () => {
  const { set, read } = groups("freed", { v2: { ...V2, "pids.max": "9\n", "cpu.max": "5000 20000\n" } });
  await set({ memory: { swap: -1 }, cpu: { quota: -1 }, pids: { limit: -1 } });
  expect(["memory.swap.max", "cpu.max", "pids.max"].map((file) => read("v2", file))).toEqual([
    "max\n",
    "max 20000",
    "max",
  ]);
});

it("removes the rates of devices without a limit", async () => {
  const { set, read } = groups("rates", { v2: { ...V2, "io.max": "8:0 rbps=5 wbps=max riops=max wiops=max\n" } });
  await set({ blockIO: {} });
  expect(read("v2", "io.max")).toBe("8:0 rbps=max wbps=max riops=max wiops=max");
  const file = "blkio.throttle.read_bps_device";
  const v1 = groups("rates-v1", { blkio: { [file]: "8:0 5\n" }, memory: {} });
  await v1.set({ blockIO: {} });
  expect(v1.read("blkio", file)).toBe("8:0 0");
});

it("leaves everything unchanged if one is refused", async () => {
  const memory = { "memory.limit_in_bytes": "64\n", "memory.memsw.limit_in_bytes": "128\n" };
  const { set, read } = groups("refused", { memory, cpu: { "cpu.shares": "1024\n" }, pids: {} });
  await expect(set({ memory: { limit: 32, swap: 32 }, cpu: { shares: 2 }, pids: { limit: 7 } })).rejects.toMatchObject({
    failure: { tag: "no-such", val: { what: "kernel-file", name: "pids.max" } },
  });
  expect(read("memory", "memory.limit_in_bytes")).toBe("64");
  expect(read("memory", "memory.memsw.limit_in_bytes")).toBe("128");
  expect(read("cpu", "cpu.shares")).toBe("1024");
});

it("does not write files without a change", async () => {
  const { set, read } = groups("no-swap", { memory: { "memory.limit_in_bytes": "64\n" } });
  await set({ memory: { limit: 32, swap: -1 } });
  expect(read("memory", "memory.limit_in_bytes")).toBe("32");
});
