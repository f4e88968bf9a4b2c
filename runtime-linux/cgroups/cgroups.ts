// Containers' control groups: cgroup v1 (each controller a tree of its own), v2 (one tree), and both at once.
// Limits are set by the OCI runtime; what it would spawn a program for is done here.

import { existsSync, readFileSync, readdirSync, rmdirSync, writeFileSync } from "node:fs";
import { rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { unmoved } from "../../hosts/shared/failure.js";
import { groupOf } from "./chosen-groups.js";
import { namesIn } from "../directories.js";
import type { Kernel } from "../kernel.js";
import type { Paths } from "../paths.js";
import { returnRealtime } from "./realtime.js";

const SIGKILL = 9;
/** About ten seconds: what is not gone by then hangs in the kernel. */
export const KILL_ROUNDS_MAX = 200;
const LONGEST_KILL_PAUSE_MS = 50;

/** Between two of them, longer and longer. */
export async function pauseKilling(round: number): Promise<void> {
  await sleep(Math.min(2 ** round, LONGEST_KILL_PAUSE_MS));
}

export class Cgroups {
  readonly #kernel: Kernel;
  readonly #paths: Paths;
  /** Mount points of all hierarchies. */
  readonly #hierarchies: string[];
  readonly #mounts: CgroupMount[];
  /** Where groups are frozen: v1's freezer, or v2. Undefined: they cannot be. */
  readonly #freezer: { path: string; v2: boolean } | undefined;
  readonly #freezeLimitMs: number;
  #isMoving = false;

  /** What does not stand still by `freezeLimitMs` hangs in the kernel. */
  constructor(
    kernel: Kernel,
    paths: Paths,
    mountinfo = readFileSync("/proc/self/mountinfo", "utf8"),
    freezeLimitMs = 10_000,
  ) {
    this.#kernel = kernel;
    this.#paths = paths;
    this.#freezeLimitMs = freezeLimitMs;
    const mounts = parseCgroupMounts(mountinfo);
    this.#mounts = mounts;
    this.#hierarchies = mounts.map(({ path }) => path);
    this.#freezer = unified(mounts) ?? mounts.find(({ controllers }) => controllers.includes("freezer"));
  }

  /** Resolves when every process stands still; fails as `unmoved`, and thaws them, when that never comes. */
  async freeze(container: string): Promise<void> {
    await this.#set(container, true);
  }

  async thaw(container: string): Promise<void> {
    await this.#set(container, false);
  }

  /** Kills every process in the group, frozen ones too, and waits until they are gone. True: there was nothing to kill. */
  async kill(container: string): Promise<boolean> {
    for (let round = 0; ; round++) {
      const pids = this.pids(container);
      if (pids.size === 0) return round === 0;
      if (round === KILL_ROUNDS_MAX) throw unmoved("end", pids);
      for (const pid of pids) this.#send(pid);
      if (round === 0) await this.thaw(container).catch(() => {}); // v1: a frozen process dies when it is thawed
      await pauseKilling(round);
    }
  }

  /** The hierarchy in which containers' groups have this controller: one of v1, or v2's. Undefined: there is none. */
  controller(name: string): { path: string; v2: boolean } | undefined {
    return unified(this.#mounts) ?? this.#mounts.find(({ controllers }) => controllers.includes(name));
  }

  /** Path of a file of a container's group. Undefined: there is no such controller. */
  file(container: string, controller: string, name: string): string | undefined {
    const hierarchy = this.controller(controller);
    return hierarchy && join(hierarchy.path, groupOf(this.#paths, container), name);
  }

  /**
   * A process is about to be moved into a group. The first of several moves in a row waits, under the kernel's one lock
   * for all of them, until every processor has taken notice (an RCU grace period, about 9 ms). So another one is made
   * now, beside whatever comes before that: of the engine, to where it is already.
   */
  expectMove(): void {
    const [mount] = this.#mounts;
    const own = mount && ownGroup(mount);
    if (own === undefined || this.#isMoving) return;
    this.#isMoving = true;
    const over = (): void => void (this.#isMoving = false);
    writeFile(join(own, "cgroup.procs"), "0", { flag: "r+" }).then(over, over); // without it, it only takes longer
  }

  /** Removes the group from every hierarchy. Its processes must be gone. */
  async remove(container: string): Promise<void> {
    for (const path of this.#leaving(container)) await removeTree(path);
  }

  /** Removes the group where nothing is in it. True: it is gone from every hierarchy. Spares `kill` looking into each. */
  async removeEmpty(container: string): Promise<boolean> {
    for (const path of this.#leaving(container)) if (!(await isRemoved(path))) return false;
    return true;
  }

  /** Containers that have a group in any hierarchy, but for groups below a parent of the client's choice. */
  containers(): string[] {
    const names = this.#hierarchies.flatMap((root) => namesIn(join(root, this.#paths.cgroupParent())));
    return [...new Set(names)].filter((name) => /^[0-9a-f]{64}$/.test(name));
  }

  /** Removes the parent of all groups, if none is left. */
  close(): void {
    for (const root of this.#hierarchies)
      try {
        rmdirSync(join(root, this.#paths.cgroupParent()));
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code !== "ENOENT" && code !== "EBUSY" && code !== "ENOTEMPTY") throw error;
      }
  }

  #leaving(container: string): string[] {
    const cpu = this.controller("cpu");
    if (cpu && !cpu.v2) returnRealtime(join(cpu.path, groupOf(this.#paths, container)));
    return this.#groups(container);
  }

  #groups(container: string): string[] {
    return this.#hierarchies
      .map((root) => join(root, groupOf(this.#paths, container)))
      .filter((path) => existsSync(path));
  }

  async #set(container: string, frozen: boolean): Promise<void> {
    if (!this.#freezer) throw new Error("no freezer: neither cgroup v2 nor the freezer of v1 is mounted");
    const group = join(this.#freezer.path, groupOf(this.#paths, container));
    const { file, on, off, state } = this.#freezer.v2 ? V2_FREEZER : V1_FREEZER;
    const value = frozen ? on : off;
    const reached = new RegExp(this.#freezer.v2 ? `^frozen ${value}$` : `^${value}$`, "m");
    writeFileSync(join(group, file), value);
    const limit = performance.now() + this.#freezeLimitMs;
    for (let waitMs = 0; !reached.test(readFileSync(join(group, state), "utf8")); waitMs = Math.min(waitMs + 1, 20)) {
      if (performance.now() > limit) {
        writeFileSync(join(group, file), off); // what stands still already must not stay so
        throw unmoved(frozen ? "freeze" : "thaw", this.pids(container));
      }
      await sleep(waitMs);
    }
  }

  /** Numbers of the machine; processes that hide in groups of their own included. */
  pids(container: string): Set<number> {
    const pids = new Set<number>();
    for (const group of this.#groups(container))
      for (const path of tree(group)) for (const pid of readPids(join(path, "cgroup.procs"))) pids.add(pid);
    return pids;
  }

  #send(pid: number): void {
    try {
      this.#kernel.kill(pid, SIGKILL);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
}

/** File that is written, its values, and the file that says whether it is so (cgroup-v2: `cgroup.events`). */
const V2_FREEZER = { file: "cgroup.freeze", on: "1", off: "0", state: "cgroup.events" };
const V1_FREEZER = { file: "freezer.state", on: "FROZEN", off: "THAWED", state: "freezer.state" };

/** A hierarchy. */
export interface CgroupMount {
  path: string;
  v2: boolean;
  controllers: string[];
}

/** What limits containers. A machine of v2 may have v1 beside it for what a container is not limited in (`net_cls`). */
const LIMITING = ["cpu", "cpuset", "memory", "pids", "blkio", "freezer", "devices"];

/**
 * The one tree of a machine of v2, which may be mounted more than once; the kernel lists the first mount first.
 * Undefined: controllers of v1 limit containers, cgroup2 beside them or not.
 */
export function unified(mounts: readonly CgroupMount[]): CgroupMount | undefined {
  const limits = ({ controllers }: CgroupMount) => LIMITING.some((name) => controllers.includes(name));
  return mounts.some((mount) => !mount.v2 && limits(mount)) ? undefined : mounts.find(({ v2 }) => v2);
}

export function parseCgroupMounts(mountinfo: string): CgroupMount[] {
  return mountinfo.split("\n").flatMap((line) => {
    const [before, after] = line.split(" - ");
    const [type, , options] = after?.split(" ") ?? [];
    const path = before?.split(" ")[4];
    if (!path || (type !== "cgroup" && type !== "cgroup2")) return [];
    return [{ path, v2: type === "cgroup2", controllers: options?.split(",") ?? [] }];
  });
}

/** The group of a hierarchy that the engine is in (cgroups(7), /proc/PID/cgroup). Undefined where that is not to be seen. */
function ownGroup({ path, v2, controllers }: CgroupMount): string | undefined {
  const lines = readFileSync("/proc/self/cgroup", "utf8").split("\n");
  for (const [, named = "", group = ""] of lines.map((line) => line.split(":"))) {
    if (v2 ? named === "" : named.split(",").some((name) => controllers.includes(name))) return join(path, group);
  }
  return undefined;
}

/** A group and all below it, the deepest first. */
function tree(group: string): string[] {
  try {
    const below = readdirSync(group, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    return [...below.flatMap((entry) => tree(join(group, entry.name))), group];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

function readPids(file: string): number[] {
  try {
    // 0 stands for a process outside of our own pid namespace.
    return readFileSync(file, "utf8").split("\n").map(Number).filter(Boolean);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENODEV" || code === "EOPNOTSUPP") return [];
    throw error;
  }
}

/** Removes a group, unless a process or another group is in it. */
async function isRemoved(group: string): Promise<boolean> {
  try {
    await rmdir(group);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "EBUSY" && code !== "ENOTEMPTY") throw error;
    return code === "ENOENT";
  }
}

/** A process that has just ended keeps its group busy for a moment. */
async function removeTree(group: string): Promise<void> {
  for (const path of tree(group))
    for (let round = 0; ; round++)
      try {
        await rmdir(path);
        break;
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code === "ENOENT") break;
        if (code !== "EBUSY" || round === 12) throw error;
        await sleep(Math.min(2 ** round, 100));
      }
}
