// Removing what a container has under a name, while it may be putting links in the place of directories.

import * as fs from "node:fs";
import { readdir, rmdir } from "node:fs/promises";
import { setImmediate as turn } from "node:timers/promises";
import { O_PATH } from "../../kernel.js";
import { mountIdOf } from "./mounted.js";

/** What is no directory. EBUSY where something is mounted on it. */
export function removeFileAt(directory: number, name: string): void {
  requireUnmounted(directory, name);
  fs.unlinkSync(pathIn(directory, name));
}

/**
 * All below a name of an open directory, and the name. Nothing of another mount is touched: EBUSY. Others have their
 * turn meanwhile: there may be very many.
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
 * EBUSY where something is mounted on a file. The kernel says so only to who has the mount in a namespace of their own;
 * for anybody else it takes the mount away with the name.
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

/** Files that are removed at once: some 10 ms. */
const AT_ONCE = 128;

function busy(name: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`EBUSY: something is mounted on '${name}'`), { code: "EBUSY" });
}
