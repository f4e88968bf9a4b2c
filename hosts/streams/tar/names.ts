// Names of a tar's entries: paths below a root that they must not leave.

import { HostFailure } from "../../failure.js";

/**
 * A name without `.`, `..` and doubled or leading slashes; "" is the root itself. Throws `invalid` for one that leaves
 * the root. An absolute name is one below the root.
 */
export function cleanName(name: string): string {
  if (!/(^|\/)(\.{0,2})(\/|$)/.test(name)) return name;
  const parts: string[] = [];
  for (const part of name.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) throw leaves(name);
  }
  return parts.join("/");
}

export function leaves(name: string): HostFailure {
  return new HostFailure("invalid", `"${name}" is outside of the root`);
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
