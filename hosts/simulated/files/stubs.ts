// Places that an OCI runtime mounts something on. They stand between an image's layers and what a container writes, so
// that they do not count as written by the container.

import { copyOf, inode, type Inode } from "./inode.js";

/** The tree with what is missing of them; as dockerd makes them, modes included. */
export function withStubs(image: Inode | null): Inode {
  const owner = {};
  const root = image === null ? inode("directory", owner) : copyOf(image, owner);
  for (const [directory, name, make] of STUBS) {
    const parent = directory === "" ? root : ownDirectory(root, directory, owner);
    if (parent !== null && !parent.entries.has(name)) parent.entries.set(name, make());
  }
  return root;
}

/** Null for a link or a file in the way: what the runtime makes of it is the runtime's to say. */
function ownDirectory(root: Inode, name: string, owner: object): Inode | null {
  const there = root.entries.get(name) ?? inode("directory", owner);
  if (there.kind !== "directory") return null;
  const own = there.owner === owner ? there : copyOf(there, owner);
  root.entries.set(name, own);
  return own;
}

const directory = (): Inode => inode("directory", null);
const file = (): Inode => inode("file", null, { mode: 0o755 });
const STUBS: readonly [string, string, () => Inode][] = [
  ["", "dev", directory],
  ["dev", "pts", directory],
  ["dev", "shm", directory],
  ["dev", "console", file],
  ["", "proc", directory],
  ["", "sys", directory],
  ["", ".dockerenv", file],
  ["", "etc", directory],
  ["etc", "resolv.conf", file],
  ["etc", "hosts", file],
  ["etc", "hostname", file],
  ["etc", "mtab", () => inode("symlink", null, { target: "/proc/mounts" })],
];
