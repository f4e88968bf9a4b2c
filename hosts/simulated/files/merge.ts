// Applies a layer's changes to the tree below it (OCI image spec, layer.md).

import { inode, type Inode } from "./inode.js";

/** What a layer changes about one name. */
export interface Change {
  /** The file, or a directory without its entries; null if the layer removes the name. */
  file: Inode | null;
  /** Hides what is below, even if the layer later removes the file. */
  opaque: boolean;
  /**
   * A directory that the tar does not list itself, only its contents. If there is one below, its attributes are kept.
   */
  implied?: boolean;
  /** For a directory. */
  entries: Map<string, Change>;
}

/** The tree with the changes applied. The arguments are not changed. */
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
