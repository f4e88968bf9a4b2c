// Removing what a container has under a name, while it may be putting links in the place of directories.

import * as fs from "node:fs";
import { mountIdOf } from "./mounted.js";

/** All below a name of an open directory, and the name. Nothing of another mount is touched: EBUSY. */
export function removeAt(directory: number, name: string): void {
  const path = Buffer.from(`/proc/self/fd/${directory}/${name}`, "latin1");
  if (!fs.lstatSync(path).isDirectory()) return fs.unlinkSync(path);
  const fd = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_DIRECTORY | fs.constants.O_NOFOLLOW);
  try {
    if (mountIdOf(fd) !== mountIdOf(directory)) throw busy(name);
    for (const child of fs.readdirSync(`/proc/self/fd/${fd}`, "latin1")) removeAt(fd, child);
  } finally {
    fs.closeSync(fd);
  }
  fs.rmdirSync(path);
}

function busy(name: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`EBUSY: something is mounted on '${name}'`), { code: "EBUSY" });
}
