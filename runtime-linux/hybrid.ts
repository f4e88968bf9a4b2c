// crun refuses a machine with cgroup v1 controllers and cgroup2 beside them ("hybrid"), unless the mount of cgroup2 is
// out of its sight. So its supervisor is born into a copy of the mount namespace that lacks this one mount.
//
// The copy lives as long as the supervisor and would keep every other mount of its time busy. Hence the engine's own
// mounts lie below a shared mount, the copy is its slave, and unmounting here unmounts there.

import { closeSync, openSync, readFileSync, realpathSync, statfsSync } from "node:fs";
import { MNT_DETACH, MS_BIND, MS_REC, MS_SHARED, type Kernel } from "./kernel.js";
import { apart } from "./mount-namespace.js";

const UNIFIED = "/sys/fs/cgroup/unified";
const CGROUP2_MAGIC = 0x63677270;

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

  /** `root`: directory below which all mounts of the engine lie. */
  constructor(kernel: Kernel, root: string) {
    this.#kernel = kernel;
    this.#root = root;
  }

  /** Makes ready, and tries it out. Throws when it does not work here. */
  open(): void {
    this.#home = openSync("/proc/thread-self/ns/mnt", "r");
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
  hide<T>(spawn: () => T): T {
    return apart(this.#kernel, this.#home, () => {
      this.#kernel.umount(UNIFIED, MNT_DETACH);
      return spawn();
    });
  }

  /** Undoes `open`, unless containers that live on need it. */
  close(): void {
    if (this.#home >= 0) closeSync(this.#home);
    this.#home = -1;
    try {
      if (this.#mounted) this.#kernel.umount(this.#root, 0);
      this.#mounted = false;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EBUSY") throw error;
    }
  }
}

/** What of its file system is mounted on `path`; undefined when nothing is (proc_pid_mountinfo(5), fields 4 and 5). */
function mountedFrom(path: string): string | undefined {
  const mounts = readFileSync("/proc/self/mountinfo", "utf8")
    .split("\n")
    .map((line) => line.split(" "));
  return mounts.findLast((fields) => fields[4] === path)?.[3];
}
