// Removing what a container has under a name, while it may be putting links in the place of directories.

import * as fs from "node:fs";
import { O_PATH } from "../kernel.js";
import { mountIdOf } from "./mounted.js";

/** All below a name of an open directory, and the name. Nothing of another mount is touched: EBUSY. */
export function removeAt(directory: number, name: string): void {
  const path = Buffer.from(`/proc/self/fd/${directory}/${name}`, "latin1");
  if (!fs.lstatSync(path).isDirectory()) {
    requireUnmounted(directory, name);
    return fs.unlinkSync(path);
  }
  const fd = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_DIRECTORY | fs.constants.O_NOFOLLOW);
  try {
    if (mountIdOf(fd) !== mountIdOf(directory)) throw busy(name);
    for (const child of fs.readdirSync(`/proc/self/fd/${fd}`, "latin1")) removeAt(fd, child);
  } finally {
    fs.closeSync(fd);
  }
  fs.rmdirSync(path);
}

/**
 * EBUSY where something is mounted on a file. The kernel says so only to who has the mount in a namespace of their own;
 * for anybody else it takes the mount away with the name.
 */
export function requireUnmounted(directory: number, name: string): void {
  const path = Buffer.from(`/proc/self/fd/${directory}/${name}`, "latin1");
  const fd = fs.openSync(path, O_PATH | fs.constants.O_NOFOLLOW);
  try {
    if (mountIdOf(fd) !== mountIdOf(directory)) throw busy(name);
  } finally {
    fs.closeSync(fd);
  }
}

function busy(name: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`EBUSY: something is mounted on '${name}'`), { code: "EBUSY" });
}
