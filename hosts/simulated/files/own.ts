// Decides which files belong to the tree that is mounted at a place, and copies up those that must change.

import { FileError } from "./file-system.js";
import type { Inode } from "./inode.js";
import type { Place } from "./lookup.js";

/**
 * Returns the file in a form that its tree may change. A shared file is copied up, with the directories above it.
 * `keep`: copy its content too.
 */
export function own(place: Place, path: string, keep = true): Inode {
  const { mount, inode: file, parent, name } = place;
  if (file.owner === mount.tree) return file;
  if (parent === null) throw new FileError("EROFS", path);
  const directory = own(parent, path);
  // The file may have been copied up in the meantime, through another path to the same place.
  const there = directory.entries.get(name);
  place.inode = there?.owner === mount.tree ? there : mount.tree.copyUp(file, directory, name, path, keep);
  return place.inode;
}

export function isMountRoot({ inode: file, mount, parent }: Place): boolean {
  return parent === null || file === mount.root;
}

/** For a directory: it contains nothing of a lower tree, at any depth. */
export function isOwnAll({ inode: file, mount }: Place): boolean {
  return file.owner === mount.tree && file.origin === null;
}
