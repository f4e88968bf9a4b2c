// Trees that the kernel makes: the parts of /dev, /proc and /sys that programs look at.

import { inode, type Attributes, type Inode } from "./inode.js";
import type { MountTable } from "./lookup.js";
import { Tree } from "./tree.js";
import type { Space } from "./space.js";

/** Contents of /proc and /sys: paths below the mount, and a function that makes the content of each. */
export type MadeFiles = ReadonlyMap<string, () => string>;

/** Devices and links that the OCI runtime spec requires (config-linux.md, default devices). All /dev share them. */
export function devices(): Inode {
  const directory = inode("directory", null);
  const add = (name: string, file: Inode): void => void directory.entries.set(name, file);
  for (const [name, major, minor] of DEVICES) add(name, inode("character", null, { mode: 0o666, major, minor }));
  for (const [name, target] of LINKS) add(name, inode("symlink", null, { target }));
  add("pts", inode("directory", null));
  add("shm", inode("directory", null, { mode: 0o1777 }));
  add("mqueue", inode("directory", null, { mode: 0o1777 }));
  // The terminal of a container that has one. Without a terminal, reading it gives nothing.
  add("console", inode("character", null, { mode: 0o620, major: 136, minor: 0 }));
  return directory;
}

/** A tree of files whose content is made when they are read. */
export function madeTree(files: MadeFiles, space: Space): Tree {
  const tree = new Tree(space);
  tree.root.mode = 0o555;
  for (const [path, text] of files) {
    const made = (): Uint8Array => new TextEncoder().encode(text());
    put(tree, path, inode("file", tree, { mode: 0o444, made }), 0o555);
  }
  return tree;
}

/** The text of /proc/mounts, in the order of mounting. */
export function mountsText(mounts: MountTable): string {
  const line = ([path, { source, type, readOnly, options }]: [
    string,
    MountTable extends ReadonlyMap<string, infer M> ? M : never,
  ]) => `${source} ${path} ${type} ${readOnly ? "ro" : "rw"}${options && `,${options}`} 0 0\n`;
  return [...mounts].map(line).join("");
}

/** Puts a file into a tree and makes the directories on its way. */
export function put(tree: Tree, path: string, file: Inode, mode = 0o755): void {
  const parts = path.split("/").filter((part) => part !== "");
  const name = parts.pop() ?? "";
  let at = tree.root;
  for (const part of parts) {
    const next = at.entries.get(part) ?? inode("directory", tree, { mode } satisfies Attributes);
    at.entries.set(part, next);
    at = next;
  }
  at.entries.set(name, file);
}

const DEVICES: readonly [string, number, number][] = [
  ["null", 1, 3],
  ["zero", 1, 5],
  ["full", 1, 7],
  ["random", 1, 8],
  ["urandom", 1, 9],
  ["tty", 5, 0],
  ["ptmx", 5, 2],
];
const LINKS: readonly [string, string][] = [
  ["fd", "/proc/self/fd"],
  ["stdin", "/proc/self/fd/0"],
  ["stdout", "/proc/self/fd/1"],
  ["stderr", "/proc/self/fd/2"],
];
