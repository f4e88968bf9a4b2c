// Names of a tar's entries: paths below a root that they cannot leave.

import { faultyName } from "../../shared/index.js";
import type { TarEntry } from "./entry.js";
import { textOf } from "./latin1.js";

/**
 * A name below the root, without `.`, `..` and doubled or leading slashes, resolved as text. "" is the root itself. The
 * parent of the root is the root (Go's path/filepath, as Docker joins names).
 */
export function cleanName(name: string): string {
  if (!/(^|\/)(\.{0,2})(\/|$)/.test(name)) return name;
  const parts: string[] = [];
  for (const part of name.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return parts.join("/");
}

/**
 * A name below a directory whose path is absolute and clean; "" is the directory itself. An absolute name counts as
 * below the directory. Any other name that leads out of the directory is refused; nothing leads out of the root.
 */
export function nameBelow(directory: string, name: string): string {
  const below = joined(directory, name.startsWith("/") ? cleanName(name) : name);
  if (below !== undefined) return below;
  throw faultyName("outside", textOf(shortest(name)), textOf(directory));
}

/** The same for the target of a hard link in a tar. Even an absolute target is resolved from the directory. */
export function targetBelow(directory: string, target: string): string {
  const below = joined(directory, target);
  if (below !== undefined) return below;
  const place = cleanName(`${directory}/${target}`);
  throw faultyName("hard-link-outside", `/${textOf(place)}`, textOf(target));
}

/**
 * The target of a symbolic link, resolved as text, must begin with the directory's path: Docker checks no more than
 * that.
 */
export function refuseClimbingLink(directory: string, name: string, target: string): void {
  const place = cleanName(`${directory}/${name}`);
  if (cleanName(`${parentOf(place)}/${target}`).startsWith(cleanName(directory))) return;
  throw faultyName("symbolic-link-outside", `/${textOf(place)}`, textOf(target));
}

/**
 * For an entry whose name is the target directory itself. Under the name "." it may have any type, and is skipped if it
 * is not a directory.
 */
export function refuseInPlace({ name, type }: Pick<TarEntry, "name" | "type">): void {
  if (type === "directory" || name.startsWith("/") || shortest(name) === "") return;
  throw faultyName("own-directory", textOf(name));
}

/** Undefined if the name leads out of the directory. */
function joined(directory: string, name: string): string | undefined {
  const root = cleanName(directory);
  const place = cleanName(`${root}/${name}`);
  if (root === "") return place;
  if (place === root) return "";
  return place.startsWith(`${root}/`) ? place.slice(root.length + 1) : undefined;
}

/** A relative name in its shortest form. Leading `..` stay. */
function shortest(name: string): string {
  const parts: string[] = [];
  for (const part of name.split("/")) {
    if (part === ".." && parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return parts.join("/");
}

export function parentOf(name: string): string {
  const slash = name.lastIndexOf("/");
  return slash < 0 ? "" : name.slice(0, slash);
}

export function baseOf(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1);
}

/** Marks in a layer's tar (OCI image spec, layer.md): the name after this prefix is hidden. */
export const WHITEOUT = ".wh.";
/** Names with this prefix are marks, not files. */
export const META = ".wh..wh.";
/** Hides what lower layers have in the directory. */
export const OPAQUE = ".wh..wh..opq";
