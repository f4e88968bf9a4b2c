// Passes entries on under the names and with the attributes that their copies get.

import { faultyName } from "../../shared/index.js";
import { bytesOf, cleanName } from "../tar/index.js";
import type { TarEntry, TarSink, TarLimits } from "../tar/index.js";
import { Below, joinedPath } from "./below.js";
import type { Missing } from "./missing.js";
import { changedMode } from "./mode.js";
import { directoryOf, madeEntry, makeDirectories, type CopiedAttributes } from "./places.js";
import type { CopyTarget } from "./source.js";

/** One copied file or directory. Paths are from the root, without a slash at either end. */
export interface CopiedTree {
  /** Path of the copy. */
  place: string;
  /** Path in the source, and the one behind its links. */
  given: string;
  top: string;
  missing: Missing;
  /** A directory is made for its contents. */
  fresh: boolean;
  /** That directory is a copy, too. */
  parents: boolean;
}

/** Takes the tar of one file or directory. */
export class CopyingSink implements TarSink {
  readonly limits: TarLimits;
  readonly #target: CopyTarget;
  readonly #tree: CopiedTree;
  readonly #attributes: CopiedAttributes;
  readonly #below = new Below();
  #takes = false;

  constructor(target: CopyTarget, tree: CopiedTree, attributes: CopiedAttributes) {
    this.limits = target.sink.limits;
    this.#target = target;
    this.#tree = tree;
    this.#attributes = attributes;
  }

  /** Whether a file of the tree is needed, or a directory entered. */
  reads(name: string, isDirectory: boolean): boolean {
    const { missing, given, top } = this.#tree;
    const [path, behind] = [joinedPath(given, name), joinedPath(top, name)];
    return !(isDirectory ? missing.hasAllOf(path, given, behind) : missing.has(path, given, behind));
  }

  entry(entry: TarEntry): Promise<void> | void {
    const name = this.#below.nameOf(entry);
    const placed = this.#placed(name, entry);
    this.#takes = placed !== null;
    if (placed === null) return;
    const { sink } = this.#target;
    if (name !== "" || entry.type === "directory") return sink.entry(placed);
    const { place } = this.#tree;
    return makeDirectories(directoryOf(place), this.#target, this.#attributes.owner).then(() => sink.entry(placed));
  }

  data(piece: Uint8Array): Promise<void> | void {
    if (this.#takes) return this.#target.sink.data(piece);
  }

  hole(size: number): void {
    if (this.#takes) this.#target.sink.hole(size);
  }

  end(): Promise<void> | void {
    if (this.#takes) return this.#target.sink.end();
  }

  /** Null for an entry that is not copied. */
  #placed(name: string, entry: TarEntry): TarEntry | null {
    const { given, top, missing } = this.#tree;
    if (missing.has(joinedPath(given, name), given, joinedPath(top, name))) return null;
    const isDirectory = entry.type === "directory";
    if (name === "" && isDirectory) return this.#top(entry);
    const place = this.#placeOf(name);
    if (place === "" && isDirectory) return null;
    if (place === "") throw faultyName("own-directory", "/");
    const target = entry.type === "link" ? this.#placeOf(this.#below.within(entry.target)) : entry.target;
    return { ...this.#changed(entry), name: place, target };
  }

  /** A directory that is made for the contents of another has nothing of that one: it is root's unless there is an owner. */
  #top(entry: TarEntry): TarEntry | null {
    const { fresh, parents, place } = this.#tree;
    if (!fresh || place === "") return null;
    const made = { ...madeEntry(place, this.#target, null), type: entry.type, mode: 0o755 };
    return { ...this.#changed(parents ? entry : made), name: bytesOf(place) };
  }

  #changed(entry: TarEntry): TarEntry {
    const { owner, mode } = this.#attributes;
    const isDirectory = entry.type === "directory";
    const own = entry.type === "symlink" ? entry.mode : changedMode(entry.mode, isDirectory, mode);
    return { ...entry, ...owner, mode: own };
  }

  #placeOf(name: string): string {
    return bytesOf(joinedPath(this.#tree.place, name));
  }
}

/** Takes a tar that is unpacked into a directory: owners and modes are those that the tar says. */
export class UnpackingSink implements TarSink {
  readonly limits: TarLimits;
  readonly #target: TarSink;
  readonly #into: string;

  /** `into`: from the root, without a slash at either end. */
  constructor(target: TarSink, into: string) {
    this.limits = target.limits;
    this.#target = target;
    this.#into = bytesOf(into);
  }

  entry(entry: TarEntry): Promise<void> | void {
    const name = this.#placeOf(entry.name);
    if (name === "" && entry.type === "directory") return;
    if (name === "") throw faultyName("own-directory", "/");
    const target = entry.type === "link" ? this.#placeOf(entry.target) : entry.target;
    return this.#target.entry({ ...entry, name, target });
  }

  data(piece: Uint8Array): Promise<void> | void {
    return this.#target.data(piece);
  }

  hole(size: number): void {
    this.#target.hole(size);
  }

  end(): Promise<void> | void {
    return this.#target.end();
  }

  #placeOf(name: string): string {
    return joinedPath(this.#into, cleanName(name));
  }
}
