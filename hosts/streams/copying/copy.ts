// Copies files of one container into another, by way of a tar that is read while it is made.

import { HostFailure, faultyName } from "../../shared/index.js";
import type { content } from "../../shared/index.js";
import { TarReader, bytesOf, cleanName, textOf } from "../tar/index.js";
import type { TarEntry, TarSink } from "../tar/index.js";
import { Below, joinedPath, relative } from "./below.js";
import type { CopySource } from "./source.js";

export interface CopyHow {
  /** Undoes a compression, if there is one. */
  decompressed: (bytes: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;
  /** Throws if the operation was given up. */
  stopped: () => void;
}

/** Copies files, one after the other. */
export async function copyFiles(
  { files, without, unpack }: Pick<content.FileCopies, "files" | "without" | "unpack">,
  source: CopySource,
  target: TarSink,
  attributes: CopiedAttributes,
  how: CopyHow,
): Promise<void> {
  for (const { path, to, fresh } of files) {
    const at = source.locate(`/${path}`);
    if (unpack !== undefined && (await isTar(at, source, how))) {
      await pour(how.decompressed(source.read(at)), new CopyingSink(target, unpack, null, attributes), how);
    } else {
      const below = { given: relative(path), top: relative(at), names: new Below(without), fresh, copyAlone };
      await pour(source.archive(at), new CopyingSink(target, to, below, attributes), how);
    }
  }

  async function copyAlone(path: string, to: string): Promise<void> {
    const below = { given: path, top: path, names: new Below([]), fresh: false, copyAlone };
    await pour(source.archive(`/${path}`), new CopyingSink(target, to, below, attributes), how);
  }
}

async function pour(bytes: AsyncIterable<Uint8Array>, sink: TarSink, { stopped }: CopyHow): Promise<void> {
  const reader = new TarReader(sink);
  for await (const piece of bytes) {
    stopped();
    await reader.push(piece);
  }
  reader.end();
}

/** Whether a file begins as a tar does, once it is decompressed. Zeros alone, however many, do not. */
async function isTar(path: string, source: CopySource, { decompressed, stopped }: CopyHow): Promise<boolean> {
  const seen = new FirstEntry();
  const reader = new TarReader(seen);
  let size = 0;
  try {
    for await (const piece of decompressed(source.read(path))) {
      stopped();
      await reader.push(piece);
      size += piece.length;
      if (seen.found || size > FIRST_ENTRY_WITHIN) break;
    }
    return seen.found;
  } catch (error) {
    if (error instanceof HostFailure && ["damaged", "wrong-kind"].includes(error.failure.tag)) return seen.found;
    throw error;
  }
}

class FirstEntry implements TarSink {
  readonly mostHoles = Infinity;
  found = false;

  entry(): void {
    this.found = true;
  }

  data(): void {}

  hole(): void {}

  end(): void {}
}

/** What the copies get instead of their own. */
export interface CopiedAttributes {
  owner: { uid: number; gid: number } | null;
  mode: number | undefined;
}

/** The tree that a tar is of. */
interface CopiedTree {
  /** Its path in the source, and the one behind its links. */
  given: string;
  top: string;
  names: Below;
  /** A directory is made for its contents. */
  fresh: boolean;
  /** Copies one file of the source. */
  copyAlone: (path: string, to: string) => Promise<void>;
}

/** Passes entries on under the names that they get. */
export class CopyingSink implements TarSink {
  readonly mostHoles: number;
  readonly #target: TarSink;
  /** Path of the copy, from the root, without a slash at either end. */
  readonly #to: string;
  /** The tar is of one file or directory, at this path of its source; null for a tar that is unpacked. */
  readonly #from: CopiedTree | null;
  readonly #attributes: CopiedAttributes;
  /** For files whose first name is not copied: the path of their first copy. */
  readonly #copies = new Map<string, string>();
  #takes = false;

  constructor(target: TarSink, to: string, from: CopiedTree | null, attributes: CopiedAttributes) {
    this.mostHoles = target.mostHoles;
    this.#target = target;
    this.#to = relative(to);
    this.#from = from;
    this.#attributes = attributes;
  }

  entry(entry: TarEntry): Promise<void> | void {
    const name = this.#from === null ? entry.name : bytesOf(this.#from.names.nameOf(entry));
    const placed = this.#placed(name, entry);
    this.#takes = placed !== null;
    if (placed === null) return;
    return entry.type === "link" ? this.#link(name, entry.target, placed) : this.#target.entry(placed);
  }

  /** The first copied name of a file becomes the file, and the others links to it. */
  #link(name: string, target: string, placed: TarEntry): Promise<void> | void {
    const first = this.#linkedName(target);
    if (this.#from === null || !this.#isOut(first)) return this.#target.entry(placed);
    const copy = this.#copies.get(first);
    if (copy !== undefined) return this.#target.entry({ ...placed, target: copy });
    this.#copies.set(first, placed.name);
    this.#takes = false;
    return this.#from.copyAlone(joinedPath(this.#from.top, textOf(name)), textOf(placed.name));
  }

  data(piece: Uint8Array): Promise<void> | void {
    if (this.#takes) return this.#target.data(piece);
  }

  hole(size: number): void {
    if (this.#takes) this.#target.hole(size);
  }

  end(): Promise<void> | void {
    if (this.#takes) return this.#target.end();
  }

  /** Null for an entry that is not copied. */
  #placed(name: string, entry: TarEntry): TarEntry | null {
    if (this.#from !== null && this.#isOut(name)) return null;
    const isTop = this.#from !== null && name === "" && entry.type === "directory";
    if (isTop && !this.#from.fresh) return null;
    const place = this.#placeOf(name);
    if (place === "" && entry.type === "directory") return null;
    if (place === "") throw faultyName("own-directory", "/");
    const target = entry.type === "link" ? this.#placeOf(this.#linkedName(entry.target)) : entry.target;
    const own = isTop ? 0o755 : entry.mode;
    const mode = entry.type === "symlink" ? entry.mode : (this.#attributes.mode ?? own);
    return { ...entry, ...this.#owner(), name: place, target, mode };
  }

  /** Root does not become the owner of what is unpacked: the tar says whose it is. */
  #owner(): Partial<TarEntry> {
    const { owner } = this.#attributes;
    return owner === null || (this.#from === null && owner.uid === 0) ? {} : { uid: owner.uid, gid: owner.gid };
  }

  #isOut(name: string): boolean {
    const { given, top, names } = this.#from!;
    return [given, top].some((directory) => names.isOut(joinedPath(directory, textOf(name))));
  }

  #linkedName(target: string): string {
    return this.#from === null ? target : bytesOf(this.#from.names.within(target));
  }

  #placeOf(name: string): string {
    const to = bytesOf(this.#to);
    if (name === "") return to;
    const below = cleanName(name);
    return to === "" ? below : `${to}/${below}`;
  }
}

/** Most bytes before the first entry of a tar: room for a header of each kind before it, at their limit of a MiB. */
const FIRST_ENTRY_WITHIN = 4 << 20;

/** Makes files of given bytes, with a mode of 0644 unless there is another. */
export async function copyGiven(
  files: readonly content.GivenFile[],
  target: TarSink,
  { owner, mode }: CopiedAttributes,
): Promise<void> {
  for (const { to, content: bytes } of files) {
    const name = bytesOf(relative(to));
    const { uid, gid } = owner ?? { uid: 0, gid: 0 };
    const about = { uid, gid, holes: 0, mtime: 0n, target: "", major: 0, minor: 0, xattrs: new Map() };
    await target.entry({ ...about, name, type: "file", mode: mode ?? 0o644, size: bytes.length });
    if (bytes.length > 0) await target.data(bytes);
    await target.end();
  }
}
