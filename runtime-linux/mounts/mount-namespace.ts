// Runs code in a mount namespace of its own: nobody else sees its mounts, and a crash removes them.

import { closeSync, openSync } from "node:fs";
import { CLONE_FS, CLONE_NEWNS, MS_REC, MS_SLAVE, type Kernel } from "../kernel.js";

/**
 * Calls `act` in a copy of the mount namespace. Mounts made there do not appear here; unmounts here also happen there.
 * `severed`: the mount points, each with everything below it, to which that applies; by default everywhere. Other
 * shared mounts stay shared with ours. The copy lasts as long as something open holds it: a process, or
 * `/proc/thread-self/ns/mnt`. `home` is an open file of the namespace to return to. Other threads are not affected; but
 * from now on `process.chdir` and `process.umask` affect only this thread.
 */
export function apart<T>(kernel: Kernel, home: number, act: () => T, severed: readonly string[] = ["/"]): T {
  const directory = workingDirectory();
  // Stops sharing the working directory with other threads (CLONE_FS is implied); otherwise setns is refused.
  kernel.unshare(CLONE_NEWNS);
  try {
    for (const point of severed) kernel.mount("", point, "", MS_REC | MS_SLAVE, "");
    return act();
  } finally {
    kernel.setns(home, CLONE_NEWNS);
    returnTo(kernel, directory);
  }
}

/** Calls `act` in the mount namespace of an open file; otherwise like `apart`. */
export function inside<T>(kernel: Kernel, namespace: number, home: number, act: () => T): T {
  const directory = workingDirectory();
  kernel.unshare(CLONE_FS); // otherwise setns is refused
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

/** `setns` has moved the thread to the root directory. It stays there if the old directory is gone. */
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
    return "/"; // the directory was removed
  }
}
