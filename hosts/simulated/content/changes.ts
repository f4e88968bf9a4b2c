// Lists what a container has changed in its image's files.

import type { content, engine } from "../../shared/index.js";
import { bytesOf } from "../../streams/tar/index.js";
import type { Disk } from "../files/disk.js";
import type { Inode } from "../files/inode.js";
import type { Tree } from "../files/tree.js";

/** Returns one page of changes, sorted by the bytes of their paths. */
export function compare({ container, after, limit }: content.Compare, disk: Disk): engine.Changed[] {
  const files = disk.containers.get(container);
  if (!files) return [];
  const changes = new Changes(files.tree);
  changes.directory(files.tree.root, files.tree.root.origin, "");
  const behind = bytesOf(after);
  return [...changes.kinds]
    .map(([path, kind]) => ({ key: bytesOf(path), path, kind }))
    .filter(({ key }) => key > behind)
    .sort((one, other) => (one.key < other.key ? -1 : 1))
    .slice(0, limit)
    .map(({ path, kind }) => ({ path, kind }));
}

class Changes {
  readonly kinds = new Map<string, engine.ChangeKind>();
  readonly #tree: Tree;

  constructor(tree: Tree) {
    this.#tree = tree;
  }

  /** Compares a directory that the container's own tree holds with the same directory in the image. */
  directory(at: Inode, below: Inode | null, path: string): void {
    for (const name of below?.entries.keys() ?? []) if (!at.entries.has(name)) this.#tell(`${path}/${name}`, "deleted");
    for (const [name, file] of at.entries) {
      if (file.owner === this.#tree) this.#file(file, below?.entries.get(name) ?? null, `${path}/${name}`);
    }
  }

  #file(file: Inode, below: Inode | null, path: string): void {
    if (below === null) this.#tell(path, "added");
    else if (isChanged(file, below)) this.#tell(path, "modified");
    if (file.kind === "directory") this.directory(file, below?.kind === "directory" ? below : null, path);
  }

  /** Records a change, and marks the directories above it as modified. */
  #tell(path: string, kind: engine.ChangeKind): void {
    this.kinds.set(path, kind);
    for (let at = parentOf(path); at !== "" && !this.kinds.has(at); at = parentOf(at)) this.kinds.set(at, "modified");
  }
}

/** Compares what copying a file preserves. A directory's time does not count. */
function isChanged(now: Inode, before: Inode): boolean {
  if (now.kind !== before.kind || now.mode !== before.mode) return true;
  if (now.uid !== before.uid || now.gid !== before.gid) return true;
  if (now.kind === "directory") return false;
  return now.modified !== before.modified || now.size !== before.size || now.target !== before.target;
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}
