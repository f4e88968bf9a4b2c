// crun refuses to run on a machine with cgroup v1 controllers and cgroup2 beside them ("hybrid"), unless it cannot see
// the mount of cgroup2. So its supervisor starts in a copy of the mount namespace that lacks this one mount.
//
// The copy lives as long as the supervisor, and would keep every other mount of its time busy. So the engine's own
// mounts are below a shared mount, and the copy is its slave: an unmount here also unmounts there.
//
// A mount or unmount in one of many copies affects all of them, and takes the kernel longer the more there are. So all
// supervisors share one copy, except those whose containers bind what the machine has mounted since.
//
// If a container propagates mounts to the machine, its supervisor starts in a copy that is a slave only where it has to
// be.

import { closeSync, openSync, readFileSync, realpathSync, statfsSync } from "node:fs";
import { MNT_DETACH, MS_BIND, MS_REC, MS_SHARED, type Kernel } from "../kernel.js";
import { apart, inside } from "../mounts/mount-namespace.js";
import type { Paths } from "../paths.js";
import type { Runtime } from "./runtimes.js";

const GROUPS = "/sys/fs/cgroup";
const UNIFIED = `${GROUPS}/unified`;
const CGROUP2_MAGIC = 0x63677270;

/**
 * What a child needs of the machine's mounts. "own": only the engine's own mounts. "all": all current mounts. "joined":
 * the machine must also see what the child mounts on shared mounts.
 */
export type Sight = "own" | "all" | "joined";

/** Whether this machine has both versions of cgroups mounted. */
export function isHybrid(): boolean {
  try {
    return statfsSync(UNIFIED).type === CGROUP2_MAGIC;
  } catch {
    return false;
  }
}

export class Hybrid {
  readonly #kernel: Kernel;
  readonly #root: string;
  #mounted = false;
  #home = -1;
  /** Descriptor of the shared copy; -1: not made yet. */
  #copy = -1;

  /** `root`: the directory that contains all mounts of the engine. */
  constructor(kernel: Kernel, root: string) {
    this.#kernel = kernel;
    this.#root = root;
  }

  /** Prepares the copy and returns whether it works on this machine. Throws if the kernel refuses. */
  open(): boolean {
    this.#home = openSync(OWN, "r");
    const mounted = mountedFrom(realpathSync(this.#root));
    if (mounted === undefined) this.#kernel.mount(this.#root, this.#root, "", MS_BIND | MS_REC, "");
    this.#mounted = mounted !== "/"; // a separate file system is not ours to unmount
    this.#kernel.mount("", this.#root, "", MS_SHARED, "");
    return !this.hide(isHybrid) && isHybrid();
  }

  /**
   * Calls `spawn` where cgroup2 is not visible. `spawn` must fork its child on this thread before it returns, as Node's
   * does. Other threads are not affected; but from now on `process.chdir` and `process.umask` affect only this thread.
   */
  hide<T>(spawn: () => T, sight: Sight = "own"): T {
    if (sight !== "own") return this.#inCopy(spawn, sight === "joined" ? [GROUPS, this.#root] : undefined);
    if (this.#copy < 0) this.#copy = this.#inCopy(() => openSync(OWN, "r"));
    return inside(this.#kernel, this.#copy, this.#home, spawn);
  }

  /** Undoes `open`, unless running containers need it. */
  close(): void {
    for (const file of [this.#home, this.#copy]) if (file >= 0) closeSync(file);
    this.#home = this.#copy = -1;
    try {
      if (this.#mounted) this.#kernel.umount(this.#root, 0);
      this.#mounted = false;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EBUSY") throw error;
    }
  }

  #inCopy<T>(act: () => T, severed?: readonly string[]): T {
    const hidden = () => {
      this.#kernel.umount(UNIFIED, MNT_DETACH);
      return act();
    };
    return apart(this.#kernel, this.#home, hidden, severed);
  }
}

const OWN = "/proc/thread-self/ns/mnt";

/**
 * The part of its file system that is mounted on `path`; undefined if nothing is (proc_pid_mountinfo(5), fields 4 and
 * 5).
 */
function mountedFrom(path: string): string | undefined {
  const mounts = readFileSync("/proc/self/mountinfo", "utf8")
    .split("\n")
    .map((line) => line.split(" "));
  return mounts.findLast((fields) => fields[4] === path)?.[3];
}

/** Undefined if it is not needed, or if it does not work. In the second case crun cannot be used. */
export function openHybrid(kernel: Kernel, paths: Paths, runtimes: Runtime[]): Hybrid | undefined {
  if (!isHybrid() || !runtimes.some(({ kind }) => kind === "crun")) return undefined;
  const hybrid = new Hybrid(kernel, paths.roots.exec);
  let works = false;
  try {
    works = hybrid.open();
  } catch {
    // The engine may not have the rights.
  }
  if (works) return hybrid;
  hybrid.close();
  return undefined;
}
