// Looks up names in a container's file system as the container would: no symbolic link leads out of it.

import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { bytesOf, followed } from "../hosts/streams/tar/index.js";
import { fileFailure } from "./content/files/file-failure.js";
import { O_PATH, type Kernel, type Path } from "./kernel.js";

/** How often a path is looked up again while some process keeps moving directories as fast as it can. */
const TRIES_MAX = 1000;

/**
 * The path on the machine for `path` in the file system at `root`, with every symbolic link resolved. Components that
 * do not exist keep their names. The result is valid only while nobody changes the tree, so call this before the
 * container runs.
 */
export function confine(root: string, path: string): string {
  const place = followed(path, (directory, name) => linkTarget(join(root, directory, name), join(directory, name)));
  return join(root, place.slice(1));
}

/**
 * Opens a path below an open directory as the container would find it, even if some process changes the tree meanwhile.
 */
export function openConfined(kernel: Kernel, root: number, path: Path, flags: number): number {
  for (let tries = 0; ; tries++) {
    try {
      return kernel.openInRoot(root, path, flags);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN" || tries === TRIES_MAX) throw error;
    }
  }
}

/** Text of a regular file of a container, which may be running; empty if there is no such file. */
export function readConfined(kernel: Kernel, root: string, path: string, limit: number): string {
  let file: number;
  const top = openSync(root, O_PATH | constants.O_DIRECTORY);
  try {
    file = openConfined(kernel, top, path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP" || code === "ENXIO") return "";
    throw error;
  } finally {
    closeSync(top);
  }
  try {
    return readOpen(file, limit);
  } finally {
    closeSync(file);
  }
}

/** The same for a file that is already open. */
export function readOpen(file: number, limit: number): string {
  const stat = fstatSync(file);
  return stat.isFile() && stat.size <= limit ? readFileSync(file, "utf8") : "";
}

/** Undefined if the path is not a link. `name` is the container's name for it, used in failures. */
export function linkTarget(path: string, name: string): string | undefined {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw fileFailure(error, "lstat", bytesOf(name));
  }
}
