// Places that an OCI runtime mounts something on, and files of programs that no image has. They stand between an image's
// layers and what a container writes, so that they do not count as written by the container.

import { copyOf, inode, type Inode } from "./inode.js";

/**
 * The tree with what is missing of them; places as dockerd makes them, modes included. `programs`: names of those that
 * every container is to find in its PATH.
 */
export function withStubs(image: Inode | null, programs: readonly string[] = []): Inode {
  const owner = {};
  const root = image === null ? inode("directory", owner) : copyOf(image, owner);
  for (const [directory, name, make] of STUBS) {
    const parent = directory === "" ? root : ownDirectory(root, directory, owner);
    const stub = make();
    if (parent !== null && !stands(parent.entries.get(name), stub)) parent.entries.set(name, stub);
  }
  if (programs.length > 0) addPrograms(root, programs, owner);
  return root;
}

/** A link, and a file in place of a directory, make way. */
function stands(found: Inode | undefined, wanted: Inode): boolean {
  if (!found) return false;
  if (wanted.kind === "directory") return found.kind === "directory";
  return wanted.kind === "symlink" || found.kind !== "symlink";
}

/** In /usr/local/bin, where what no package of a system brings belongs (FHS 4.9). */
function addPrograms(root: Inode, programs: readonly string[], owner: object): void {
  let at: Inode | null = root;
  for (const name of ["usr", "local", "bin"]) at &&= ownDirectory(at, name, owner);
  for (const name of programs) {
    if (at === null || at.entries.has(name)) continue;
    at.entries.set(name, inode("file", null, { mode: 0o755, bytes: programFile(name) }));
  }
}

/** Null for a link or a file in the way: what the runtime makes of it is the runtime's to say. */
function ownDirectory(root: Inode, name: string, owner: object): Inode | null {
  const there = root.entries.get(name) ?? inode("directory", owner);
  if (there.kind !== "directory") return null;
  const own = there.owner === owner ? there : copyOf(there, owner);
  root.entries.set(name, own);
  return own;
}

/** What stands for a program of the world by its name. */
export function programFile(name: string): Uint8Array {
  return new TextEncoder().encode(`#!coracle ${name}\n`);
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
