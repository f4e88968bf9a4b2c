// Packs a container's changes as a layer tar: files that it copied up or made, and a whiteout for each file that it
// removed (OCI image spec, layer.md). The same changes give the same bytes.

import { joined } from "../../shared/index.js";
import type { engine } from "../../shared/index.js";
import { digestOf } from "../../registry/index.js";
import {
  OPAQUE,
  WHITEOUT,
  bytesOf,
  endOfArchive,
  followed,
  headerOf,
  namesAbove,
  namesOfPaths,
  paddingOf,
} from "../../streams/tar/index.js";
import type { TarEntry } from "../../streams/tar/index.js";
import { contentOf, type Inode } from "../files/inode.js";
import type { Tree } from "../files/tree.js";
import { byBytes } from "./archives.js";

/** Returns the tar and the facts that the core needs about it. `mountPoints`: as in `commit`. */
export function changesOf(
  tree: Tree,
  mountPoints: readonly string[] = [],
): { bytes: Uint8Array; committed: engine.Committed } {
  const points = mountPoints.map((path) =>
    followed(path, (directory, name) => linkBelow(tree, `${directory}/${name}`)),
  );
  const changes = new Changes(tree, namesOfPaths(points));
  changes.directory(tree.root, "");
  const bytes = joined([...changes.pieces, endOfArchive()]);
  const committed = { diffId: digestOf(bytes), size: changes.size, empty: changes.pieces.length === 0 };
  return { bytes, committed };
}

/** The target of a link in the tree below the container's own; undefined if there is none. */
function linkBelow({ root }: Tree, path: string): string | undefined {
  let at = root.origin ?? undefined;
  for (const name of path.split("/").filter(Boolean)) at = at?.entries.get(name);
  return at?.kind === "symlink" ? at.target : undefined;
}

class Changes {
  readonly pieces: Uint8Array[] = [];
  size = 0n;
  readonly #tree: Tree;
  /** The first name of each file that has several names. */
  readonly #names = new Map<Inode, string>();

  readonly #mountPoints: ReadonlySet<string>;
  readonly #above: ReadonlySet<string>;

  constructor(tree: Tree, mountPoints: ReadonlySet<string>) {
    [this.#tree, this.#mountPoints, this.#above] = [tree, mountPoints, namesAbove(mountPoints)];
  }

  /** Packs the changes in a directory that the container's own tree holds. */
  directory(at: Inode, path: string): void {
    const names = new Map<string, Inode | null>();
    for (const name of at.origin?.entries.keys() ?? []) if (!at.entries.has(name)) names.set(name, null);
    for (const [name, file] of at.entries) if (file.owner === this.#tree) names.set(name, file);
    for (const [name, file] of byBytes(names)) {
      const full = path + bytesOf(name);
      if (file !== null && this.#isForMount(file, full)) continue;
      if (file === null) this.#add({ ...whiteout(at), name: `${path}${WHITEOUT}${bytesOf(name)}` });
      else if (file.kind === "directory") this.#enter(file, full);
      else this.#file(file, full);
    }
  }

  /** Whether a file is there only because something was mounted on it or below it. */
  #isForMount(file: Inode, path: string): boolean {
    if (this.#mountPoints.has(path) && isEmpty(file)) return true;
    if (!this.#above.has(path) || file.kind !== "directory" || file.origin !== null) return false;
    return [...file.entries].every(([name, below]) => this.#isForMount(below, `${path}/${bytesOf(name)}`));
  }

  #enter(file: Inode, path: string): void {
    this.#add(entryOf(file, `${path}/`));
    if (file.opaque) this.#add({ ...whiteout(file), name: `${path}/${OPAQUE}` });
    this.directory(file, `${path}/`);
  }

  #file(file: Inode, path: string): void {
    const first = file.links > 1 ? this.#names.get(file) : undefined;
    this.#names.set(file, first ?? path);
    if (first !== undefined) return this.#add({ ...entryOf(file, path), type: "link", target: first, size: 0 });
    this.#add(entryOf(file, path));
    if (file.kind !== "file") return;
    this.pieces.push(contentOf(file), paddingOf(file.size));
    this.size += BigInt(file.size);
  }

  #add(entry: TarEntry): void {
    this.pieces.push(headerOf(entry));
  }
}

/** Nobody can have changed it while something was mounted on it, so it is there only because of that. */
function isEmpty({ kind, size, entries }: Inode): boolean {
  return kind === "directory" ? entries.size === 0 : kind === "file" && size === 0;
}

/** `name` holds bytes, one per character (see `tar/latin1.ts`). */
export function entryOf(file: Inode, name: string): TarEntry {
  const { kind, mode, uid, gid, size, modified, target, major, minor, xattrs } = file;
  if (kind === "socket") throw new Error("no tar has a socket");
  const capability = xattrs?.get(CAPABILITY);
  return {
    name,
    type: kind,
    mode,
    uid,
    gid,
    size: kind === "file" ? size : 0,
    holes: 0,
    mtime: modified,
    target: bytesOf(target),
    major,
    minor,
    xattrs: new Map(capability === undefined ? [] : [[CAPABILITY, capability]]),
  };
}

/** Nothing records when a file was removed. Its directory changed then or later, so the whiteout takes that time. */
function whiteout(directory: Inode): TarEntry {
  return { ...entryOf(directory, ""), type: "file", mode: 0o600, size: 0, xattrs: new Map() };
}

const CAPABILITY = "security.capability";
