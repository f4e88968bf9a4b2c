// Names in a container's file system, looked up as the container would: a symbolic link must not lead out of it.

import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { bytesOf } from "../hosts/streams/tar/latin1.js";
import { fileFailure } from "./content/file-failure.js";
import { O_PATH, type Kernel, type Path } from "./kernel.js";

/** Somebody who moves directories as fast as they can has a path looked up again so often. */
const TRIES_MAX = 1000;

/** Links followed before it is taken for a loop, as the kernel does (path_resolution(7)). */
const LINKS_MAX = 40;

/**
 * The path on the machine of `path` in the file system at `root`, no component of it a symbolic link. What does not
 * exist is kept by name. Holds as long as nobody changes the tree: ask before the container runs.
 */
export function confine(root: string, path: string): string {
  const rest = path.split("/");
  let found: string[] = [];
  let links = 0;
  while (rest.length > 0) {
    const name = rest.shift();
    if (!name || name === ".") continue;
    if (name === "..") {
      found.pop();
      continue;
    }
    const target = linkTarget(join(root, ...found, name), `/${[...found, name].join("/")}`);
    if (target === undefined) {
      found.push(name);
      continue;
    }
    if (++links > LINKS_MAX) throw Object.assign(new Error(`ELOOP: too many links: ${path}`), { code: "ELOOP" });
    if (target.startsWith("/")) found = [];
    rest.unshift(...target.split("/"));
  }
  return join(root, ...found);
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
