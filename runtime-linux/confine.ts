// Names in a container's file system, looked up as the container would: a symbolic link must not lead out of it.

import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";

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
    const target = linkTarget(join(root, ...found, name));
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

/** Text of a regular file of a container; empty if there is none. */
export function readConfined(root: string, path: string, limit: number): string {
  let file: number;
  try {
    file = openSync(confine(root, path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP" || code === "ENXIO") return "";
    throw error;
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

function linkTarget(path: string): string | undefined {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}
