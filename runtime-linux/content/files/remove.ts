// Removes a container's files by name, while the container may be replacing directories with links.

import * as fs from "node:fs";
import { readdir, rmdir } from "node:fs/promises";
import { setImmediate as turn } from "node:timers/promises";
import { O_PATH } from "../../kernel.js";
import { mountIdOf } from "./mounted.js";

/** Removes anything but a directory. EBUSY if something is mounted on it. */
export function removeFileAt(directory: number, name: string): void {
  requireUnmounted(directory, name);
  fs.unlinkSync(pathIn(directory, name));
}

/**
 * Removes a name in an open directory and everything below it. Never touches another mount: EBUSY. Yields to other work
 * now and then, because there may be very many files.
 */
export async function removeAt(directory: number, name: string, told = { removed: 0 }): Promise<void> {
  const path = pathIn(directory, name);
  if (++told.removed % AT_ONCE === 0) await turn();
  if (!fs.lstatSync(path).isDirectory()) return removeFileAt(directory, name);
  const fd = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_DIRECTORY | fs.constants.O_NOFOLLOW);
  try {
    if (mountIdOf(fd) !== mountIdOf(directory)) throw busy(name);
    for (const child of await readdir(`/proc/self/fd/${fd}`, "latin1")) await removeAt(fd, child, told);
  } finally {
    fs.closeSync(fd);
  }
  await rmdir(path);
}

/**
 * Throws EBUSY if something is mounted on the file. The kernel refuses only a caller that has the mount in its own
 * namespace; for any other caller it removes the mount along with the name.
 */
export function requireUnmounted(directory: number, name: string): void {
  const fd = fs.openSync(pathIn(directory, name), O_PATH | fs.constants.O_NOFOLLOW);
  try {
    if (mountIdOf(fd) !== mountIdOf(directory)) throw busy(name);
  } finally {
    fs.closeSync(fd);
  }
}

function pathIn(directory: number, name: string): Buffer {
  return Buffer.from(`/proc/self/fd/${directory}/${name}`, "latin1");
}

/** Files removed before others have a turn: some 10 ms. */
const AT_ONCE = 128;

function busy(name: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`EBUSY: '${name}' is a mount point`), { code: "EBUSY" });
}
