// The kernel's counters for a container: control groups of version 1 or 2 (cgroups(7), Documentation/admin-guide of the
// kernel), /proc/stat and /proc/PID/net/dev (proc(5)). They are a few small files, read synchronously.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { noSuch } from "../../hosts/shared/index.js";
import type { engine } from "../../hosts/shared/index.js";
import { groupOf } from "../cgroups/chosen-groups.js";
import { parseCgroupMounts, unified, type CgroupMount } from "../cgroups/cgroups.js";
import type { Paths } from "../paths.js";
import { readBlocksV1, readBlocksV2 } from "./blocks.js";
import { readInterfaces } from "./interfaces.js";
import { number, readText, table, words, type ReadFile } from "./text.js";

/** The unit of /proc/stat and of v1's cpuacct.stat: hundredths of a second (USER_HZ). */
const TICK_NS = 10_000_000n;
const MICROSECOND_NS = 1000n;
/** v1's value for "no limit" is above this: the largest whole number of pages. */
const NO_LIMIT = 1n << 62n;

type Cpu = Pick<
  engine.Sample,
  "cpu" | "cpuUser" | "cpuKernel" | "perCpu" | "periods" | "throttledPeriods" | "throttled"
>;
type Memory = Pick<engine.Sample, "memory" | "memoryPeak" | "memoryLimit" | "memoryFailures" | "memoryStat">;

export class Sampler {
  readonly #paths: Paths;
  readonly #mounts: CgroupMount[];
  readonly #v2: CgroupMount | undefined;
  readonly #proc: string;

  constructor(paths: Paths, mountinfo = readFileSync("/proc/self/mountinfo", "utf8"), proc = "/proc") {
    this.#paths = paths;
    this.#mounts = parseCgroupMounts(mountinfo);
    this.#v2 = unified(this.#mounts);
    this.#proc = proc;
  }

  /** `pid`: a process of the container, in its network namespace. Fails as `no-such` if the group is gone. */
  sample(container: string, pid: number): engine.Sample {
    const group = groupOf(this.#paths, container);
    const read: ReadFile = (controller, file) => {
      const mount = this.#v2 ?? this.#mounts.find(({ controllers }) => controllers.includes(controller));
      return mount ? readText(`${mount.path}${group}/${file}`) : "";
    };
    const cpu = this.#v2 ? readCpuV2(read) : readCpuV1(read);
    const memory = this.#v2 ? readMemoryV2(read) : readMemoryV1(read);
    const pids = read("pids", "pids.current");
    if (!pids && memory.memoryStat.length === 0 && cpu.cpu === 0n) throw noSuch("process");
    const blocks = this.#v2 ? readBlocksV2(read) : readBlocksV1(read);
    const pidsLimit = limitOf(read("pids", "pids.max"));
    return {
      at: BigInt(Date.now()) * 1_000_000n,
      ...cpu,
      ...this.#machine(),
      ...memory,
      ...(blocks && { blocks }),
      pids: number(pids),
      ...(pidsLimit !== undefined && { pidsLimit }),
      interfaces: readInterfaces(readText(join(this.#proc, String(pid), "net/dev"))),
    };
  }

  #machine(): Pick<engine.Sample, "machineCpu" | "onlineCpus"> {
    const lines = readText(join(this.#proc, "stat")).split("\n");
    const [, ...ticks] = (lines.find((line) => line.startsWith("cpu ")) ?? "").split(/\s+/);
    const machineCpu = ticks.slice(0, 7).reduce((sum, text) => sum + number(text), 0n) * TICK_NS;
    return { machineCpu, onlineCpus: lines.filter((line) => /^cpu\d/.test(line)).length };
  }
}

function readCpuV1(read: ReadFile): Cpu {
  const used = table(read("cpuacct", "cpuacct.stat"));
  const throttling = table(read("cpu", "cpu.stat"));
  const perCpu = words(read("cpuacct", "cpuacct.usage_percpu"));
  return {
    cpu: number(read("cpuacct", "cpuacct.usage")),
    cpuUser: (used.get("user") ?? 0n) * TICK_NS,
    cpuKernel: (used.get("system") ?? 0n) * TICK_NS,
    perCpu: BigUint64Array.from(perCpu, number),
    periods: throttling.get("nr_periods") ?? 0n,
    throttledPeriods: throttling.get("nr_throttled") ?? 0n,
    throttled: throttling.get("throttled_time") ?? 0n,
  };
}

function readCpuV2(read: ReadFile): Cpu {
  const used = table(read("cpu", "cpu.stat"));
  const time = (name: string): bigint => (used.get(name) ?? 0n) * MICROSECOND_NS;
  return {
    ...{ cpu: time("usage_usec"), cpuUser: time("user_usec"), cpuKernel: time("system_usec") },
    perCpu: new BigUint64Array(),
    periods: used.get("nr_periods") ?? 0n,
    throttledPeriods: used.get("nr_throttled") ?? 0n,
    throttled: time("throttled_usec"),
  };
}

function readMemoryV1(read: ReadFile): Memory {
  const limit = limitOf(read("memory", "memory.limit_in_bytes"));
  return {
    memory: number(read("memory", "memory.usage_in_bytes")),
    memoryPeak: number(read("memory", "memory.max_usage_in_bytes")),
    ...(limit !== undefined && limit < NO_LIMIT && { memoryLimit: limit }),
    memoryFailures: number(read("memory", "memory.failcnt")),
    memoryStat: [...table(read("memory", "memory.stat"))],
  };
}

function readMemoryV2(read: ReadFile): Memory {
  const limit = limitOf(read("memory", "memory.max"));
  return {
    memory: number(read("memory", "memory.current")),
    ...(limit !== undefined && { memoryLimit: limit }),
    memoryFailures: table(read("memory", "memory.events")).get("oom") ?? 0n,
    memoryStat: [...table(read("memory", "memory.stat"))],
  };
}

/** Undefined if there is no limit. */
function limitOf(text: string): bigint | undefined {
  const word = text.trim();
  return word === "" || word === "max" ? undefined : number(word);
}
