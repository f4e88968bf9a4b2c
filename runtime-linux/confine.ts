// Names in a container's file system, looked up as the container would: a symbolic link must not lead out of it.

import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { followed } from "../hosts/streams/tar/archive-names.js";
import { bytesOf } from "../hosts/streams/tar/latin1.js";
import { fileFailure } from "./content/files/file-failure.js";
import { O_PATH, type Kernel, type Path } from "./kernel.js";

/** Somebody who moves directories as fast as they can has a path looked up again so often. */
const TRIES_MAX = 1000;

/**
 * The path on the machine of `path` in the file system at `root`, no component of it a symbolic link. What does not
 * exist is kept by name. Holds as long as nobody changes the tree: ask before the container runs.
 */
export function confine(root: string, path: string): string {
  const place = followed(path, (directory, name) => linkTarget(join(root, directory, name), join(directory, name)));
  return join(root, place.slice(1));
}

/** Opens a path below an open directory as the container would find it, whoever changes the tree meanwhile. */
export function openConfined(kernel: Kernel, root: number, path: Path, flags: number): number {
  for (let tries = 0; ; tries++) {
    try {
      return kernel.openInRoot(root, path, flags);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN" || tries === TRIES_MAX) throw error;
    }
  }
}

/** Text of a regular file of a container, which may run; empty if there is none. */
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

/** The same of one that is open. */
export function readOpen(file: number, limit: number): string {
  const stat = fstatSync(file);
  return stat.isFile() && stat.size <= limit ? readFileSync(file, "utf8") : "";
}

/** Undefined for what is no link. `name`: the container's, which a failure is told of. */
export function linkTarget(path: string, name: string): string | undefined {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw fileFailure(error, "lstat", bytesOf(name));
  }
}
