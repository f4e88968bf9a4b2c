// What belongs to the tree that is mounted at a place, and what has to be copied into it before it is changed.

import { FileError } from "./file-system.js";
import type { Inode } from "./inode.js";
import type { Place } from "./lookup.js";

/**
 * The file as its tree may change it: copied up with the directories above it, if it was shared. `keep`: its content is
 * wanted, too.
 */
export function own(place: Place, path: string, keep = true): Inode {
  const { mount, inode: file, parent, name } = place;
  if (file.owner === mount.tree) return file;
  if (parent === null) throw new FileError("EROFS", path);
  const directory = own(parent, path);
  // It may have been copied up in the meantime, by another way to the same place.
  const there = directory.entries.get(name);
  place.inode = there?.owner === mount.tree ? there : mount.tree.copyUp(file, directory, name, path, keep);
  return place.inode;
}

export function isMountRoot({ inode: file, mount, parent }: Place): boolean {
  return parent === null || file === mount.root;
}

/** Of a directory: it has nothing of a lower tree, at any depth. */
export function isOwnAll({ inode: file, mount }: Place): boolean {
  return file.owner === mount.tree && file.origin === null;
}
