// Turns a layer's tar into a tree of changes (OCI image spec, layer.md).

import { faultyName } from "../../shared/index.js";
import type { content } from "../../shared/index.js";
import {
  META,
  OPAQUE,
  WHITEOUT,
  cleanName,
  ownerSet,
  refuseInPlace,
  textOf,
  limitsOf,
} from "../../streams/tar/index.js";
import type { PlacingSink, TarEntry, TarLimits } from "../../streams/tar/index.js";
import { inode, spaceOf, type Inode } from "../files/inode.js";
import type { Change } from "../files/merge.js";
import type { Space } from "../files/space.js";
import { ChangeTree, type Spot } from "./change-tree.js";
import { FileBody } from "./file-body.js";
import { roomed } from "./room.js";

/** A hard link to a file that is not in this layer. */
interface LowerLink {
  /** Where the link must be made. */
  path: string;
  /** Where the file is in the layers below, as the tar names it. */
  target: string;
  entry: TarEntry;
}

export class Unpacker implements PlacingSink<Inode> {
  readonly limits: TarLimits;
  /** The file that the newest entry has made. */
  place: Inode | null = null;

  readonly #tree = new ChangeTree();
  readonly #space: Space;
  /** Whether there are layers below. Without them there is nothing to hide. */
  readonly #hasLower: boolean;
  /** Links to be made once the layers below are complete. */
  readonly #lowerLinks: LowerLink[] = [];
  readonly #body: FileBody;

  constructor(space: Space, { parent, limits }: content.Layer) {
    this.#space = space;
    this.#body = new FileBody(space);
    this.#hasLower = parent !== undefined;
    this.limits = limitsOf(limits);
  }

  get changes(): Change {
    return this.#tree.root;
  }

  /** Whether the layer has links to files that it does not contain. */
  get needsLower(): boolean {
    return this.#lowerLinks.length > 0;
  }

  entry(entry: TarEntry): void {
    this.place = null;
    const name = textOf(cleanName(entry.name));
    if (name === "") {
      refuseInPlace(entry);
      if (entry.type === "directory") Object.assign(this.#tree.root.file!, attributesOf(entry));
      return;
    }
    const spot = this.#tree.place(name);
    if (spot.name.startsWith(WHITEOUT)) this.#whiteout(spot);
    else if (entry.type === "link") this.#link(spot, entry);
    else this.#make(spot, entry);
  }

  data(piece: Uint8Array): void {
    this.#body.add(piece);
  }

  hole(size: number): void {
    this.#body.hole(size);
  }

  end(): void {
    this.#body.end();
  }

  /** Makes the hard links to files of the layers below, given their tree. */
  linkToLower(lower: Inode | null): void {
    for (const { path, target, entry } of this.#lowerLinks) {
      const source = findWithoutLinks(lower, target);
      const there = this.#tree.place(target);
      if (!source || source.kind === "directory" || there.path !== target) {
        throw faultyName("hard-link-to-nothing", path, target);
      }
      const own = there.directory.entries.get(there.name);
      // If this layer hides the file, the link does not bring the hidden name back: the link becomes its only name.
      const file = own?.file ?? { ...source, owner: null, links: own ? 0 : 1 };
      if (!own?.file) roomed(() => this.#space.take(spaceOf(file), target));
      if (!own) this.#put(there, file);
      file.links++;
      this.#put(this.#tree.place(path), file);
      takeAttributes(file, entry);
    }
  }

  /** Size of all files and links in bytes. A file with several names counts once. */
  size(): number {
    const seen = new Set<Inode>();
    const add = ({ file, entries }: Change): void => {
      if (file) seen.add(file);
      entries.forEach(add);
    };
    add(this.#tree.root);
    return [...seen].reduce((size, file) => size + spaceOf(file), 0);
  }

  #make(spot: Spot, entry: TarEntry): void {
    const there = spot.directory.entries.get(spot.name);
    if (entry.type === "directory" && there?.file?.kind === "directory") {
      Object.assign(there.file, attributesOf(entry));
      delete there.implied;
      return;
    }
    const kind = entry.type === "link" ? "file" : entry.type;
    const { major, minor } = entry;
    const target = entry.type === "symlink" ? textOf(entry.target) : "";
    const file = inode(kind, null, { ...attributesOf(entry), major, minor, target });
    roomed(() => this.#space.take(spaceOf(file), spot.path));
    this.#put(spot, file);
    if (kind !== "file") return;
    this.place = file;
    this.#body.begin(file, spot.path);
  }

  #link(spot: Spot, entry: TarEntry): void {
    const target = textOf(cleanName(entry.target));
    const here = this.#tree.find(target);
    if (here?.path === spot.path) return;
    if (target === "" || here?.change.file?.kind === "directory") {
      throw faultyName("hard-link-to-directory", spot.path);
    }
    if (!here?.change.file) {
      this.#lowerLinks.push({ path: spot.path, target, entry });
      return;
    }
    const { file } = here.change;
    file.links++;
    this.#put(spot, file);
    takeAttributes(file, entry);
  }

  #whiteout({ directory, name, path }: Spot): void {
    if (name === OPAQUE) {
      directory.opaque = true;
      return;
    }
    if (name.startsWith(META)) return;
    const hides = name.slice(WHITEOUT.length);
    if (hides === "" || hides === "." || hides === "..") throw faultyName("whiteout", path);
    // A whiteout hides what lower layers have, not what this layer has.
    const there = directory.entries.get(hides);
    if (there) there.opaque = true;
    else if (this.#hasLower) directory.entries.set(hides, { file: null, opaque: true, entries: new Map() });
  }

  /** Puts a file in a place and replaces what stands there. */
  #put(spot: Spot, file: Inode): void {
    const there = spot.directory.entries.get(spot.name);
    if (there) this.#discard(there);
    this.#tree.put(spot, file);
  }

  #discard({ file, entries }: Change): void {
    if (file && --file.links === 0) this.#space.free(spaceOf(file));
    for (const change of entries.values()) this.#discard(change);
  }
}

type FileAttributes = Pick<Inode, "mode" | "modified" | "xattrs"> & Partial<Pick<Inode, "uid" | "gid">>;

/** The last name of a file in this layer sets its owner, mode and time; for a symbolic link, its owner only. */
function takeAttributes(file: Inode, link: TarEntry): void {
  const { mode, modified, xattrs, ...owner } = attributesOf(link);
  const more = file.kind === "symlink" ? {} : { mode, modified, xattrs: xattrs ?? file.xattrs };
  Object.assign(file, owner, more);
}

function attributesOf({ type, mode, uid, gid, mtime, xattrs }: TarEntry): FileAttributes {
  // A symlink has no mode of its own (symlink(7)).
  const own = type === "symlink" ? 0o777 : mode;
  const owner = ownerSet(uid, gid);
  return { mode: own, ...owner, modified: mtime, xattrs: xattrs.size > 0 ? xattrs : null };
}

function findWithoutLinks(lower: Inode | null, name: string): Inode | undefined {
  let at = lower ?? undefined;
  for (const part of name.split("/")) at = at?.entries.get(part);
  return at;
}
