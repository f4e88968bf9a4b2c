// A copy as the tar of a layer: what a container would have of its own if the files were put into it. Only for what is plain:
// files, directories and links at places that are free, or that have the same kind of thing. For anything else `NotPlain` is
// thrown, and the files have to be put there.

import { createHash } from "node:crypto";
import * as fs from "node:fs";
import type { engine } from "../../../hosts/shared/index.js";
import {
  WHITEOUT,
  baseOf,
  bytesOf,
  endOfArchive,
  headerOf,
  nameBelow,
  paddingOf,
  parentOf,
  refuseClimbingLink,
  refuseInPlace,
  textOf,
} from "../../../hosts/streams/tar/index.js";
import type { TarEntry, TarLimits, TarSink } from "../../../hosts/streams/tar/index.js";
import type { CopyTarget } from "../../../hosts/streams/copying/index.js";
import { O_PATH } from "../../kernel.js";
import { fileFailure } from "./file-failure.js";
import { CAPABILITY } from "./tar-entry.js";
import type { View } from "./view.js";

/** The copy would not simply add files. */
export class NotPlain extends Error {}

export class CopiedTar implements TarSink {
  readonly limits: TarLimits;
  readonly #view: View;
  readonly #fd: number;
  readonly #hash = createHash("sha256");
  readonly #piece = Buffer.allocUnsafe(PIECE);
  #filled = 0;
  /** What is in the tar. */
  readonly #names = new Map<string, Kind>();
  /** About how much memory they take. */
  #namesSize = 0;
  /** Directories in it with their times from below, since nothing has been added to them. */
  readonly #untouched = new Set<string>();
  /** Some directory passes its group on to what is made in it. */
  #passesGroup = false;
  #size = 0n;
  /** The file whose bytes are coming. */
  #file: Pick<TarEntry, "name" | "size"> | null = null;

  /** `view`: the container, which has nothing of its own. `into`: a new file. */
  constructor(view: View, into: string, limits: TarLimits) {
    this.#view = view;
    this.limits = limits;
    this.#fd = fs.openSync(into, "wx", 0o600);
  }

  /** For a copy to this tar. */
  target(): CopyTarget {
    return {
      sink: this,
      locate: (path) => textOf(this.#view.locate(bytesOf(path))),
      has: (path) => this.#names.has(bytesOf(path).slice(1)) || this.#stat(bytesOf(path), 0) !== undefined,
      now,
    };
  }

  entry(entry: TarEntry): void {
    const name = nameBelow("/", entry.name);
    if (name === "") return refuseInPlace(entry);
    if (entry.type === "symlink") refuseClimbingLink("/", name, entry.target);
    if (!isPlain(name, entry) || this.#names.has(name)) throw new NotPlain();
    const there = this.#below(name);
    this.#enter(parentOf(name), there === undefined || entry.type !== "directory");
    if (entry.type !== "directory") {
      if (there !== undefined && !there.isFile()) throw new NotPlain();
      this.#note(name, "other");
    } else if (there?.isDirectory() === false) throw new NotPlain();
    else this.#note(name, there === undefined ? "new" : "merged");
    this.#add(name, entry);
    if (entry.type === "file") this.#file = { name, size: entry.size };
  }

  data(piece: Uint8Array): void {
    this.#write(piece);
  }

  hole(): void {
    throw new NotPlain();
  }

  end(): void {
    if (this.#file !== null) this.#write(paddingOf(this.#file.size));
    this.#size += BigInt(this.#file?.size ?? 0);
    this.#file = null;
  }

  /** Call this after the last entry. */
  finish(): engine.Committed {
    this.#write(endOfArchive());
    this.#flush();
    const diffId = `sha256:${this.#hash.digest("hex")}`;
    return { diffId, size: this.#size, empty: this.#names.size === 0 };
  }

  close(): void {
    fs.closeSync(this.#fd);
  }

  /**
   * Adds the directories that lead to a file: as they are below, or as they are made if they are missing. `changes`: a name
   * comes into the last one, or gets another file.
   */
  #enter(directory: string, changes: boolean): void {
    if (directory === "") return;
    const known = this.#names.get(directory);
    if (known === "other" || (changes && this.#untouched.has(directory))) throw new NotPlain();
    if (known !== undefined) return;
    const there = this.#below(directory);
    this.#enter(parentOf(directory), there === undefined);
    if (there?.isDirectory() === false || (there === undefined && this.#passesGroup)) throw new NotPlain();
    this.#note(directory, there === undefined ? "new" : "merged");
    if (!changes) this.#untouched.add(directory);
    const made = { ...NOTHING, ...MADE, mtime: now() };
    if (there === undefined) return this.#add(directory, made);
    const [mode, uid, gid] = [Number(there.mode) & 0o7777, Number(there.uid), Number(there.gid)];
    this.#add(directory, { ...made, mode, uid, gid, mtime: changes ? made.mtime : there.mtimeNs });
  }

  #note(name: string, kind: Kind): void {
    this.#namesSize += NAME_SIZE + name.length;
    if (this.#namesSize > MOST_NAMES_SIZE) throw new NotPlain();
    this.#names.set(name, kind);
  }

  /** What was there before the copy. `#enter` refuses links on the way. */
  #below(name: string): fs.BigIntStats | undefined {
    return this.#names.get(parentOf(name)) === "new" ? undefined : this.#stat(`/${name}`);
  }

  #stat(path: string, flags: number = fs.constants.O_NOFOLLOW): fs.BigIntStats | undefined {
    try {
      const fd = this.#view.open(path, O_PATH | flags);
      try {
        return fs.fstatSync(fd, { bigint: true });
      } finally {
        fs.closeSync(fd);
      }
    } catch (error) {
      if (MISSING.has((error as NodeJS.ErrnoException).code ?? "")) return undefined;
      throw new NotPlain();
    }
  }

  /** A tar of a commit tells the same: of all extended attributes only the capabilities. */
  #add(name: string, entry: Omit<TarEntry, "name">): void {
    const isDirectory = entry.type === "directory";
    this.#passesGroup ||= isDirectory && (entry.mode & SETGID) !== 0;
    const capability = entry.type === "symlink" ? undefined : entry.xattrs.get(CAPABILITY);
    const xattrs = capability === undefined ? NOTHING.xattrs : new Map([[CAPABILITY, capability]]);
    this.#file = { name, size: 0 };
    this.#write(headerOf({ ...entry, name: isDirectory ? `${name}/` : name, xattrs }));
    this.#file = null;
  }

  #write(piece: Uint8Array): void {
    if (this.#filled + piece.length > PIECE) this.#flush();
    if (piece.length > PIECE) return this.#put(piece);
    this.#piece.set(piece, this.#filled);
    this.#filled += piece.length;
  }

  #flush(): void {
    this.#put(this.#piece.subarray(0, this.#filled));
    this.#filled = 0;
  }

  #put(bytes: Uint8Array): void {
    this.#hash.update(bytes);
    try {
      for (let done = 0; done < bytes.length;) done += fs.writeSync(this.#fd, bytes, done);
    } catch (error) {
      throw fileFailure(error, "write", `/${this.#file?.name ?? ""}`);
    }
  }
}

/** What has a name: a directory of ours alone, one that is below, too, or something else. */
type Kind = "new" | "merged" | "other";

function isPlain(name: string, { type, holes, uid, gid }: TarEntry): boolean {
  if (!PLAIN.has(type) || holes > 0 || baseOf(name).startsWith(WHITEOUT)) return false;
  if (Math.max(uid, gid) >= NO_OWNER) return false;
  return name.length <= LONGEST_NAME || (name.length <= LONGEST_PATH && name.split("/").every(isShort));
}

function isShort(part: string): boolean {
  return part.length <= LONGEST_NAME;
}

function now(): bigint {
  return BigInt(Date.now()) * 1_000_000n;
}

const SETGID = 0o2000;
/** From here on, ids are none or mean "no change" (chown(2)). */
const NO_OWNER = 0xffff_ffff;
const PLAIN: ReadonlySet<string> = new Set(["file", "directory", "symlink"]);
const MISSING: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR", "ELOOP"]);
const MADE = { type: "directory", mode: 0o755, uid: 0, gid: 0 } as const;
const NOTHING = { size: 0, holes: 0, target: "", major: 0, minor: 0, xattrs: new Map<string, string>() };
/** The kernel's limit (path_resolution(7)), and less than its limit of a path: a layer's own path comes before the name. */
const LONGEST_NAME = 255;
const LONGEST_PATH = 2000;
/** In bytes: names cost memory until the copy is made. */
const MOST_NAMES_SIZE = 16 << 20;
/** What a name takes besides its letters. */
const NAME_SIZE = 100;
const PIECE = 1 << 20;
