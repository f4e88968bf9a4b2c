// A tree of files that one owner may change: a container's, a volume, a tmpfs, the machine's own. It may stand over a
// shared one; what is changed is copied first, as overlayfs does it (Linux overlayfs.rst).

import { copyOf, inode, spaceOf, type Inode } from "./inode.js";
import type { Space } from "./space.js";

export class Tree {
  readonly root: Inode;
  readonly space: Space;

  /** Over `lower`; without it an empty directory. */
  constructor(space: Space, lower: Inode | null = null) {
    this.space = space;
    this.root = lower === null ? inode("directory", this) : copyOf(lower, this);
  }

  /** A changeable copy of a shared file, which takes its place. `bytes` says how much of its content is kept. */
  copyUp(shared: Inode, parent: Inode, name: string, path: string, keep = true): Inode {
    const copy = copyOf(shared, this);
    if (!keep) [copy.bytes, copy.size] = [copy.bytes.subarray(0, 0), 0];
    this.space.take(spaceOf(copy), path);
    parent.entries.set(name, copy);
    return copy;
  }

  /** A name that led to a file leads there no more. */
  unlinked(file: Inode): void {
    if (file.owner !== this) return;
    file.links--;
    if (file.links === 0) this.space.free(spaceOf(file));
  }
}
