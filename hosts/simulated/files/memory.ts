// File systems in memory: their mount options, and how the kernel lists them (tmpfs(5), mount(8)).

import { FileError } from "./file-system.js";
import { Room } from "./space.js";
import { devices } from "./special.js";
import { Tree } from "./tree.js";

const NUMBER = /^\d+[kmgtpe]?$/i;

/** Values that the kernel accepts. A percentage of the machine's memory is more than anything here fills. */
const VALUES: Readonly<Record<string, RegExp>> = {
  size: /^\d+([kmgtpe]|%)?$/i,
  nr_blocks: NUMBER,
  nr_inodes: NUMBER,
  mode: /^[0-7]+$/,
  uid: /^\d+$/,
  gid: /^\d+$/,
  mpol: /^(default|local|prefer|bind|interleave)([:=]|$)/,
};
const BLOCK = 4096;

/** An empty tree, except for the devices of /dev. Throws EINVAL for a value that the kernel does not accept. */
export function memoryTree(type: string, destination: string, options: readonly string[]): Tree {
  const given = type === "tmpfs" ? valuesOf(destination, options) : new Map<string, string>();
  const tree = new Tree(new Room(sizeOf(given)), type === "tmpfs" && destination === "/dev" ? DEVICES : null);
  tree.root.mode = Number.parseInt(given.get("mode") ?? (type === "tmpfs" ? "1777" : "755"), 8);
  tree.root.uid = Number(given.get("uid") ?? 0);
  tree.root.gid = Number(given.get("gid") ?? 0);
  return tree;
}

/** The options as /proc/mounts lists them. */
export function toldOptions(options: readonly string[]): string {
  return options
    .filter((option) => !UNTOLD.test(option))
    .map(inKibibytes)
    .join(",");
}

/**
 * Options that this list leaves out: they appear in another form, are the default, or do not matter to readers of
 * mounts.
 */
const UNTOLD =
  /^(ro|rw|exec|suid|dev|async|nomand|atime|diratime|norelatime|(no)?strictatime|mpol=.*|r?(private|shared|slave|unbindable))$/;

function inKibibytes(option: string): string {
  const [, name = "", number = ""] = /^(size|nr_blocks)=(\d+[kmgtpe]?)$/i.exec(option) ?? [];
  return name === "" ? option : `size=${Math.ceil(sizeOf(new Map([[name, number]])) / 1024)}k`;
}

function valuesOf(destination: string, options: readonly string[]): Map<string, string> {
  const given = new Map<string, string>();
  for (const option of options) {
    const [name = "", ...rest] = option.split("=");
    if (VALUES[name] === undefined) continue;
    if (!VALUES[name].test(rest.join("="))) throw new FileError("EINVAL", destination);
    given.set(name, rest.join("="));
  }
  return given;
}

/** No size option means no limit. */
function sizeOf(given: ReadonlyMap<string, string>): number {
  const size = given.get("size") ?? "0";
  if (size.endsWith("%")) return Infinity;
  return bytesOf(size) || bytesOf(given.get("nr_blocks") ?? "0") * BLOCK || Infinity;
}

function bytesOf(number: string): number {
  const unit = "kmgtpe".indexOf(number.slice(-1).toLowerCase());
  return Number.parseInt(number, 10) * 1024 ** (unit + 1);
}

const DEVICES = devices();
