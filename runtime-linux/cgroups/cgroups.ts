// Containers' control groups (cgroups): v1 (one tree for each controller), v2 (one tree), and both at once. The OCI
// runtime sets limits at the start. This class does what would otherwise need a program of the runtime.

import { existsSync, readFileSync, readdirSync, rmdirSync, writeFileSync } from "node:fs";
import { rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { noSuch, unmoved } from "../../hosts/shared/index.js";
import { groupOf } from "./chosen-groups.js";
import { namesIn } from "../directories.js";
import type { Kernel } from "../kernel.js";
import type { Paths } from "../paths.js";
import { returnRealtime } from "./realtime.js";

const SIGKILL = 9;
/** About ten seconds. A process that is still there after that hangs in the kernel. */
export const KILL_ROUNDS_MAX = 200;
const LONGEST_KILL_PAUSE_MS = 50;

/** Waits between two rounds, a little longer each time. */
export async function pauseKilling(round: number): Promise<void> {
  await sleep(Math.min(2 ** round, LONGEST_KILL_PAUSE_MS));
}

export class Cgroups {
  readonly #kernel: Kernel;
  readonly #paths: Paths;
  /** Mount points of all hierarchies. */
  readonly #hierarchies: string[];
  readonly #mounts: CgroupMount[];
  /** Where groups are frozen: v1's freezer, or v2. Undefined: this machine cannot freeze them. */
  readonly #freezer: { path: string; v2: boolean } | undefined;
  readonly #freezeLimitMs: number;
  #isMoving = false;
  /** The last one. The kernel removes one group at a time, and others need the threads that would wait for it. */
  #removal: Promise<unknown> = Promise.resolve();

  /** A process that has not stopped after `freezeLimitMs` hangs in the kernel. */
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

  /** Resolves when every process is frozen. If some never stop, it thaws all of them and fails as `unmoved`. */
  async freeze(container: string): Promise<void> {
    await this.#set(container, true);
  }

  async thaw(container: string): Promise<void> {
    await this.#set(container, false);
  }

  /** Kills every process in the group, frozen ones too, and waits until they are gone. True: the group was empty. */
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

  /** The hierarchy that has this controller for containers' groups: one of v1, or v2's. Undefined: there is none. */
  controller(name: string): { path: string; v2: boolean } | undefined {
    return unified(this.#mounts) ?? this.#mounts.find(({ controllers }) => controllers.includes(name));
  }

  /** Path of a file in a container's group. Undefined: the controller is missing. */
  file(container: string, controller: string, name: string): string | undefined {
    const hierarchy = this.controller(controller);
    return hierarchy && join(hierarchy.path, groupOf(this.#paths, container), name);
  }

  /**
   * Call this when a process is about to be moved into a group. The first of several moves in a row holds the kernel's
   * one lock for all moves and waits until every processor has taken notice (an RCU grace period, about 9 ms). So this
   * makes a first move at once, beside other work: it moves the engine to the group where it already is.
   */
  expectMove(): void {
    const [mount] = this.#mounts;
    const own = mount && ownGroup(mount);
    if (own === undefined || this.#isMoving) return;
    this.#isMoving = true;
    const over = (): void => void (this.#isMoving = false);
    writeFile(join(own, "cgroup.procs"), "0", { flag: "r+" }).then(over, over); // a failure only costs time
  }

  /** Removes the group from every hierarchy. Its processes must be gone. */
  async remove(container: string): Promise<void> {
    for (const path of this.#leaving(container)) if (existsSync(path)) await removeTree(path);
  }

  /**
   * Removes the group if nothing is in it. True: it is gone from every hierarchy. Then `kill` need not look into each
   * of them.
   */
  async removeEmpty(container: string): Promise<boolean> {
    const removed = this.#removal.then(() => areRemoved(this.#leaving(container)));
    this.#removal = removed.catch(() => {});
    return removed;
  }

  /** Containers that have a group in any hierarchy, except groups below a parent that the client chose. */
  containers(): string[] {
    const names = this.#hierarchies.flatMap((root) => namesIn(join(root, this.#paths.cgroupParent())));
    return [...new Set(names)].filter((name) => /^[0-9a-f]{64}$/.test(name));
  }

  /** Removes the parent of all groups once it is empty. */
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
    const group = groupOf(this.#paths, container);
    const cpu = this.controller("cpu");
    if (cpu && !cpu.v2) returnRealtime(join(cpu.path, group));
    return this.#hierarchies.map((root) => join(root, group));
  }

  #groups(container: string): string[] {
    const group = groupOf(this.#paths, container);
    return this.#hierarchies.map((root) => join(root, group)).filter((path) => existsSync(path));
  }

  async #set(container: string, frozen: boolean): Promise<void> {
    if (!this.#freezer) throw noSuch("kernel-file", "freezer"); // neither cgroup v2 nor the freezer of v1 is mounted
    const group = join(this.#freezer.path, groupOf(this.#paths, container));
    const { file, on, off, state } = this.#freezer.v2 ? V2_FREEZER : V1_FREEZER;
    const value = frozen ? on : off;
    const reached = new RegExp(this.#freezer.v2 ? `^frozen ${value}$` : `^${value}$`, "m");
    writeFileSync(join(group, file), value);
    const limit = performance.now() + this.#freezeLimitMs;
    for (let waitMs = 0; !reached.test(readFileSync(join(group, state), "utf8")); waitMs = Math.min(waitMs + 1, 20)) {
      if (performance.now() > limit) {
        writeFileSync(join(group, file), off); // processes that are frozen already must not stay frozen
        throw unmoved(frozen ? "freeze" : "thaw", this.pids(container));
      }
      await sleep(waitMs);
    }
  }

  /** Process ids on the machine, including processes that hide in groups of their own. */
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

/** The file to write, its values, and the file that shows the state (cgroup-v2: `cgroup.events`). */
const V2_FREEZER = { file: "cgroup.freeze", on: "1", off: "0", state: "cgroup.events" };
const V1_FREEZER = { file: "freezer.state", on: "FROZEN", off: "THAWED", state: "freezer.state" };

/** One hierarchy. */
export interface CgroupMount {
  path: string;
  v2: boolean;
  controllers: string[];
}

/** The controllers that limit containers. A machine with v2 may also have v1 for others, such as `net_cls`. */
const LIMITING = ["cpu", "cpuset", "memory", "pids", "blkio", "freezer", "devices"];

/**
 * The single tree of a machine with v2. It may be mounted more than once; the kernel lists the first mount first.
 * Undefined: v1 controllers limit containers, whether or not cgroup2 is mounted too.
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

/** The engine's own group in a hierarchy (cgroups(7), /proc/PID/cgroup). Undefined if that is not visible. */
function ownGroup({ path, v2, controllers }: CgroupMount): string | undefined {
  const lines = readFileSync("/proc/self/cgroup", "utf8").split("\n");
  for (const [, named = "", group = ""] of lines.map((line) => line.split(":"))) {
    if (v2 ? named === "" : named.split(",").some((name) => controllers.includes(name))) return join(path, group);
  }
  return undefined;
}

/** A group and all groups below it, the deepest first. */
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
    // 0 stands for a process outside our own pid namespace.
    return readFileSync(file, "utf8").split("\n").map(Number).filter(Boolean);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENODEV" || code === "EOPNOTSUPP") return [];
    throw error;
  }
}

/** How many groups are removed at once. Each is a call on another thread, and to wait for each costs more than the call. */
const REMOVALS_AT_ONCE = 5;

async function areRemoved(groups: readonly string[]): Promise<boolean> {
  for (let at = 0; at < groups.length; at += REMOVALS_AT_ONCE) {
    const removed = await Promise.all(groups.slice(at, at + REMOVALS_AT_ONCE).map(isRemoved));
    if (removed.includes(false)) return false;
  }
  return true;
}

/** Removes a group. False: a process or another group is still in it. */
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
