// crun refuses a machine with cgroup v1 controllers and cgroup2 beside them ("hybrid"), unless the mount of cgroup2 is
// out of its sight. So its supervisor is born into a copy of the mount namespace that lacks this one mount.
//
// The copy lives as long as the supervisor and would keep every other mount of its time busy. Hence the engine's own
// mounts lie below a shared mount, the copy is its slave, and unmounting here unmounts there.
//
// What is mounted or unmounted in one of many copies is so in all of them, which takes the kernel the longer the more
// there are. So all supervisors share one copy, but for those whose containers bind what the machine has mounted since.
//
// A container that sends mounts on to the machine is born into a copy that is a slave only where it has to be.

import { closeSync, openSync, readFileSync, realpathSync, statfsSync } from "node:fs";
import { MNT_DETACH, MS_BIND, MS_REC, MS_SHARED, type Kernel } from "../kernel.js";
import { apart, inside } from "../mounts/mount-namespace.js";
import type { Paths } from "../paths.js";
import type { Runtime } from "./runtimes.js";

const GROUPS = "/sys/fs/cgroup";
const UNIFIED = `${GROUPS}/unified`;
const CGROUP2_MAGIC = 0x63677270;

/**
 * What a child has to do with the machine's mounts: it needs only the engine's own; it is to see all that are there by
 * now; or what it mounts on shared ones is to be seen by the machine, too.
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
  /** The shared copy; -1: not made yet. */
  #copy = -1;

  /** `root`: directory below which all mounts of the engine lie. */
  constructor(kernel: Kernel, root: string) {
    this.#kernel = kernel;
    this.#root = root;
  }

  /** Makes ready, and tries it out. Throws when it does not work here. */
  open(): void {
    this.#home = openSync(OWN, "r");
    const mounted = mountedFrom(realpathSync(this.#root));
    if (mounted === undefined) this.#kernel.mount(this.#root, this.#root, "", MS_BIND | MS_REC, "");
    this.#mounted = mounted !== "/"; // a file system of its own is not ours to unmount
    this.#kernel.mount("", this.#root, "", MS_SHARED, "");
    if (this.hide(isHybrid) || !isHybrid()) throw new Error("cgroup2 cannot be taken out of sight");
  }

  /**
   * Calls `spawn` where cgroup2 is out of sight. What it starts must be forked before it returns, from this thread:
   * Node's `spawn` does. Other threads notice nothing; but from now on `process.chdir` and `process.umask` are of this
   * thread alone.
   */
  hide<T>(spawn: () => T, sight: Sight = "own"): T {
    if (sight !== "own") return this.#inCopy(spawn, sight === "joined" ? [GROUPS, this.#root] : undefined);
    if (this.#copy < 0) this.#copy = this.#inCopy(() => openSync(OWN, "r"));
    return inside(this.#kernel, this.#copy, this.#home, spawn);
  }

  /** Undoes `open`, unless containers that live on need it. */
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

/** What of its file system is mounted on `path`; undefined when nothing is (proc_pid_mountinfo(5), fields 4 and 5). */
function mountedFrom(path: string): string | undefined {
  const mounts = readFileSync("/proc/self/mountinfo", "utf8")
    .split("\n")
    .map((line) => line.split(" "));
  return mounts.findLast((fields) => fields[4] === path)?.[3];
}

/** Undefined when it is not needed, or does not work: crun cannot be used then. */
export function openHybrid(kernel: Kernel, paths: Paths, runtimes: Runtime[]): Hybrid | undefined {
  if (!isHybrid() || !runtimes.some(({ kind }) => kind === "crun")) return undefined;
  const hybrid = new Hybrid(kernel, paths.roots.exec);
  try {
    hybrid.open();
    return hybrid;
  } catch {
    hybrid.close();
    return undefined;
  }
}
