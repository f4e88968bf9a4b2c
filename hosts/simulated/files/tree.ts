// A tree of files that one owner may change: a container, a volume, a tmpfs, the machine. It may cover a shared tree;
// changed files are then copied first, as overlayfs does (Linux overlayfs.rst).

import { copyOf, inode, spaceOf, type Inode } from "./inode.js";
import type { Space } from "./space.js";

export class Tree {
  readonly root: Inode;
  readonly space: Space;

  /** Covers `lower`; without it the tree is an empty directory. */
  constructor(space: Space, lower: Inode | null = null) {
    this.space = space;
    this.root = lower === null ? inode("directory", this) : copyOf(lower, this);
  }

  /** Replaces a shared file by a copy that can be changed. `keep`: whether its content is copied too. */
  copyUp(shared: Inode, parent: Inode, name: string, path: string, keep = true): Inode {
    const copy = copyOf(shared, this);
    if (!keep) [copy.bytes, copy.size] = [copy.bytes.subarray(0, 0), 0];
    this.space.take(spaceOf(copy), path);
    parent.entries.set(name, copy);
    return copy;
  }

  /** A name of the file was removed. */
  unlinked(file: Inode): void {
    if (file.owner !== this) return;
    file.links--;
    if (file.links === 0) this.space.free(spaceOf(file));
  }
}
