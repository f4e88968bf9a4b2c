// Mount points that an OCI runtime needs, and files of programs that no image has. They form a tree between an image's
// layers and the container's own files, so that they do not count as changes of the container.

import { copyOf, inode, type Inode } from "./inode.js";

/**
 * The tree plus those that it lacks. Mount points are as dockerd makes them, modes included. `programs`: names of
 * programs that every container finds in its PATH.
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

/** Whether a suitable file is there. A link is replaced, and so is a file where a directory is needed. */
function stands(found: Inode | undefined, wanted: Inode): boolean {
  if (!found) return false;
  if (wanted.kind === "directory") return found.kind === "directory";
  return wanted.kind === "symlink" || found.kind !== "symlink";
}

/** Adds programs to /usr/local/bin, the place for programs that come from no package (FHS 4.9). */
function addPrograms(root: Inode, programs: readonly string[], owner: object): void {
  let at: Inode | null = root;
  for (const name of ["usr", "local", "bin"]) at &&= ownDirectory(at, name, owner);
  for (const name of programs) {
    if (at === null || at.entries.has(name)) continue;
    at.entries.set(name, inode("file", null, { mode: 0o755, bytes: programFile(name) }));
  }
}

/** Null if a link or a file is in the way: the runtime then decides what happens. */
function ownDirectory(root: Inode, name: string, owner: object): Inode | null {
  const there = root.entries.get(name) ?? inode("directory", owner);
  if (there.kind !== "directory") return null;
  const own = there.owner === owner ? there : copyOf(there, owner);
  root.entries.set(name, own);
  return own;
}

/** Content of a file that stands for a program of the world by its name. */
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
