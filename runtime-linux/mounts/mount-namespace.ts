// Mounts that nobody else sees, and that a crash takes along: in a mount namespace of their own.

import { closeSync, openSync } from "node:fs";
import { CLONE_FS, CLONE_NEWNS, MS_REC, MS_SLAVE, type Kernel } from "../kernel.js";

/**
 * Calls `act` in a copy of the mount namespace; what is mounted there is not mounted here, what is unmounted here is
 * unmounted there. `severed`: mount points at and below which that is so, if not everywhere; shared mounts elsewhere
 * are one with those here. The copy lasts as long as something is open that holds it: a process, or `/proc/thread-self/ns/mnt`.
 * `home` is an open file of the namespace to return to. Other threads notice nothing; but from now on `process.chdir`
 * and `process.umask` are of this thread alone.
 */
export function apart<T>(kernel: Kernel, home: number, act: () => T, severed: readonly string[] = ["/"]): T {
  const directory = workingDirectory();
  // Takes the thread out of the working directory it shares with others (CLONE_FS is implied), or setns is refused.
  kernel.unshare(CLONE_NEWNS);
  try {
    for (const point of severed) kernel.mount("", point, "", MS_REC | MS_SLAVE, "");
    return act();
  } finally {
    kernel.setns(home, CLONE_NEWNS);
    returnTo(kernel, directory);
  }
}

/** Calls `act` in the mount namespace of an open file; otherwise as `apart`. */
export function inside<T>(kernel: Kernel, namespace: number, home: number, act: () => T): T {
  const directory = workingDirectory();
  kernel.unshare(CLONE_FS); // or setns is refused
  kernel.setns(namespace, CLONE_NEWNS);
  try {
    return act();
  } finally {
    kernel.setns(home, CLONE_NEWNS);
    returnTo(kernel, directory);
  }
}

/** Calls `act` in the mount namespace of a process. */
export function insideOf(pid: number, kernel: Kernel, act: () => void): void {
  const open: number[] = [];
  try {
    for (const whose of [pid, "thread-self"]) open.push(openSync(`/proc/${whose}/ns/mnt`, "r"));
    const [theirs, home] = open as [number, number];
    inside(kernel, theirs, home, act);
  } finally {
    for (const file of open) closeSync(file);
  }
}

/** `setns` has left the thread in the root directory; there it stays if the other is gone. */
function returnTo(kernel: Kernel, directory: string): void {
  try {
    kernel.chdir(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

function workingDirectory(): string {
  try {
    return process.cwd();
  } catch {
    return "/"; // it was removed
  }
}
