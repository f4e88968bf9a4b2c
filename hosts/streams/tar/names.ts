// Names of a tar's entries: paths below a root, which they cannot leave.

import { faultyName } from "../../shared/failure.js";
import type { TarEntry } from "./entry.js";
import { textOf } from "./latin1.js";

/**
 * A name below the root, without `.`, `..` and doubled or leading slashes, all by its letters; "" is the root itself.
 * Above the root is the root (Go's path/filepath, as Docker joins names).
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
 * A name below a directory, whose path is absolute and clean; "" is the directory itself. An absolute name is one below
 * the directory; any other that climbs out of it is refused, save that nothing climbs out of the root.
 */
export function nameBelow(directory: string, name: string): string {
  const below = joined(directory, name.startsWith("/") ? cleanName(name) : name);
  if (below !== undefined) return below;
  throw faultyName("outside", textOf(shortest(name)), textOf(directory));
}

/** The same for what a hard link of a tar leads to, which climbs from the directory even if it is absolute. */
export function targetBelow(directory: string, target: string): string {
  const below = joined(directory, target);
  if (below !== undefined) return below;
  const place = cleanName(`${directory}/${target}`);
  throw faultyName("hard-link-outside", `/${textOf(place)}`, textOf(target));
}

/** Where a symbolic link of a tar leads, by its letters, begins as the directory's path does: Docker asks no more than that. */
export function refuseClimbingLink(directory: string, name: string, target: string): void {
  const place = cleanName(`${directory}/${name}`);
  if (cleanName(`${parentOf(place)}/${target}`).startsWith(cleanName(directory))) return;
  throw faultyName("symbolic-link-outside", `/${textOf(place)}`, textOf(target));
}

/** Of an entry that comes to the directory unpacked to: by "." it may be anything, and is passed over if it is no directory. */
export function refuseInPlace({ name, type }: Pick<TarEntry, "name" | "type">): void {
  if (type === "directory" || name.startsWith("/") || shortest(name) === "") return;
  throw faultyName("own-directory", textOf(name));
}

/** Undefined for a name that leads out of the directory. */
function joined(directory: string, name: string): string | undefined {
  const root = cleanName(directory);
  const place = cleanName(`${root}/${name}`);
  if (root === "") return place;
  if (place === root) return "";
  return place.startsWith(`${root}/`) ? place.slice(root.length + 1) : undefined;
}

/** A relative name as short as it can be, with the `..` that it begins with. */
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

/** Marks of a layer's tar (OCI image spec, layer.md): what follows the first is hidden. */
export const WHITEOUT = ".wh.";
/** Marks that are no file's name begin so. */
export const META = ".wh..wh.";
/** What lower layers have in the directory is hidden. */
export const OPAQUE = ".wh..wh..opq";
