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
  let file: number | undefined;
  const top = openSync(root, O_PATH | constants.O_DIRECTORY);
  try {
    file = openRegular((flags) => openConfined(kernel, top, path, flags));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP") return "";
    throw error;
  } finally {
    closeSync(top);
  }
  return file === undefined ? "" : readOpen(file, limit);
}

/** Text of an open file, which is closed then; empty if it is longer than the limit. */
export function readOpen(file: number, limit: number): string {
  try {
    return fstatSync(file).size <= limit ? readFileSync(file, "utf8") : "";
  } finally {
    closeSync(file);
  }
}

/**
 * Opens a regular file for reading; undefined for any other kind. That is never opened: some devices act when they are
 * opened, for example a watchdog starts. `open` gets the flags.
 */
export function openRegular(open: (flags: number) => number): number | undefined {
  const place = open(O_PATH);
  try {
    return fstatSync(place).isFile() ? openSync(`/proc/self/fd/${place}`, constants.O_RDONLY) : undefined;
  } finally {
    closeSync(place);
  }
}

/** Undefined if the path is not a link. `name` is the container's name for it, used in failures. */
export function linkTarget(path: string, name: string): string | undefined {
  try {
    // Most paths that are asked for are missing, and an error for each would cost more than the call.
    const found = lstatSync(path, { throwIfNoEntry: false });
    return found?.isSymbolicLink() === true ? readlinkSync(path) : undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw fileFailure(error, "lstat", bytesOf(name));
  }
}
