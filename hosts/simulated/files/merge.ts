// A layer's changes put over the tree below them (OCI image spec, layer.md).

import { inode, type Inode } from "./inode.js";

/** What a layer says of one name. */
export interface Change {
  /** The file, a directory without its entries; null: what is below is gone. */
  file: Inode | null;
  /** What is below does not show, whatever becomes of the file. */
  opaque: boolean;
  /** A directory of which nothing is told but what is in it: if there is one below, it is as that one. */
  implied?: boolean;
  /** Of a directory. */
  entries: Map<string, Change>;
}

/** The tree as it is with the changes. Nothing that is given is changed. */
export function merged(lower: Inode | null, { file, opaque, implied, entries }: Change): Inode | null {
  if (file?.kind !== "directory") return file;
  const below = lower?.kind === "directory" && !opaque ? lower : null;
  const names = new Map(below?.entries);
  for (const [name, change] of entries) {
    const made = merged(below?.entries.get(name) ?? null, change);
    if (made === null) names.delete(name);
    else names.set(name, made);
  }
  return inode("directory", null, { ...(implied && below ? below : file), entries: names, origin: null });
}
