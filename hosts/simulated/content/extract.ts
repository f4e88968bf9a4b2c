// Unpacks a request's body into a directory of a container (surface §2.13).

import { HostFailure, interrupted, joined } from "../../shared/index.js";
import type { Bodies, Report, content } from "../../shared/index.js";
import { Transfer, entriesOf, fromClient } from "../../streams/index.js";
import { decompressed } from "../../streams/compression/index.js";
import {
  TarReader,
  absolutePath,
  bytesOf,
  cleanName,
  nameBelow,
  ownerSet,
  parentOf,
  refuseClimbingLink,
  refuseInPlace,
  refusedKind,
  targetBelow,
  textOf,
  limitsOf,
} from "../../streams/tar/index.js";
import type { TarEntry, TarSink, TarLimits } from "../../streams/tar/index.js";
import { FileError } from "../files/file-system.js";
import { lookup } from "../files/lookup.js";
import type { MountedFiles } from "../files/mounted-files.js";
import { ownerIn, type Owner } from "./owner.js";
import { locate, openView, placeAt, told, type Looks } from "./view.js";

/** After a failure, complete files stay, but an incomplete file leaves nothing behind. */
export async function extract(
  command: content.Extract,
  deps: Looks & { bodies: Bodies },
  report: Report,
  signal: AbortSignal,
): Promise<void> {
  const { into, source, owner } = command;
  const files = openView(into.view, deps);
  const path = absolutePath(into.path);
  if (placeAt(files.mounts, path, true).inode.kind !== "directory") {
    throw new HostFailure({ tag: "call", val: { call: "lstat", path, inside: true, error: "ENOTDIR" } });
  }
  const who = owner === undefined ? null : ownerIn(files, owner);
  const extractor = new Extractor(files, locate(files.mounts, path), command, who);
  const reader = new TarReader(extractor);
  const transfer = new Transfer(report);
  const body = entriesOf(source, deps.bodies, null, transfer.came);
  for await (const chunk of decompressed(fromClient(body, signal))) {
    if (signal.aborted) throw interrupted("given-up");
    await reader.push(chunk);
  }
  reader.end();
  extractor.finish();
  transfer.end();
}

export class Extractor implements TarSink {
  readonly limits: TarLimits;
  readonly #files: MountedFiles;
  readonly #into: string;
  readonly #keepKinds: boolean;
  readonly #owner: Owner | null;
  /** Modification times of directories. They are set last, because every new entry changes them. */
  readonly #directories = new Map<string, bigint>();
  #file: { path: string; entry: TarEntry; pieces: Uint8Array[] } | null = null;

  constructor(
    files: MountedFiles,
    into: string,
    { keepKinds, limits }: Pick<content.Extract, "keepKinds" | "limits">,
    owner: Owner | null,
  ) {
    this.limits = limitsOf(limits);
    this.#files = files;
    this.#into = into;
    this.#keepKinds = keepKinds;
    this.#owner = owner;
  }

  entry(entry: TarEntry): void {
    const name = textOf(nameBelow(bytesOf(this.#into), entry.name));
    // The target directory itself is left as it is.
    if (name === "") return refuseInPlace(entry);
    const path = this.#pathOf(name);
    const owned = this.#owner ? { ...entry, ...this.#owner } : entry;
    told(entry.type === "directory" ? "mkdir" : "open", path, () => this.#make(path, name, owned));
  }

  data(piece: Uint8Array): void {
    this.#file?.pieces.push(new Uint8Array(piece));
  }

  hole(size: number): void {
    this.#file?.pieces.push(new Uint8Array(size));
  }

  /** An existing file of this name stays until the new one is complete. */
  end(): void {
    const file = this.#file;
    this.#file = null;
    if (!file) return;
    const { path, entry, pieces } = file;
    told("write", path, () => {
      this.#clear(path, entry);
      this.#files.write(path, joined(pieces));
      this.#finish(path, entry);
    });
  }

  /** Runs after the last entry and sets the directories' times, the deepest first. */
  finish(): void {
    for (const [path, modified] of [...this.#directories].reverse()) {
      told("chtimes", path, () => this.#files.setAttributes(path, { modified }));
    }
  }

  #make(path: string, name: string, entry: TarEntry): void {
    this.#makeParents(parentOf(name));
    if (entry.type === "file") {
      this.#refuseOtherKind(path, entry);
      this.#file = { path, entry, pieces: [] };
      return;
    }
    if (entry.type === "symlink") refuseClimbingLink(bytesOf(this.#into), bytesOf(name), entry.target);
    const existing = entry.type === "link" ? this.#targetOf(entry) : "";
    if (this.#clear(path, entry)) return this.#finishDirectory(path, entry);
    if (entry.type === "link") {
      this.#files.link(existing, path);
      return this.#linked(path, entry);
    }
    if (entry.type === "directory") {
      this.#files.makeDirectory(path);
      return this.#finishDirectory(path, entry);
    }
    if (entry.type === "symlink") this.#files.symlink(textOf(entry.target), path);
    else this.#files.makeNode(path, entry.type, entry);
    this.#finish(path, entry);
  }

  #makeParents(name: string): void {
    if (name === "" || this.#kindAt(this.#pathOf(name), true) !== null) return;
    this.#makeParents(parentOf(name));
    this.#files.makeDirectory(this.#pathOf(name));
  }

  #finishDirectory(path: string, entry: TarEntry): void {
    this.#finish(path, entry);
    this.#directories.delete(path);
    this.#directories.set(path, entry.mtime);
  }

  /** Works as on the Linux host: see there. */
  #linked(path: string, entry: TarEntry): void {
    const { uid, gid, mode, mtime, target, xattrs } = entry;
    const there = this.#kindAt(`/${cleanName(textOf(target))}`, false);
    const more = there !== null && there !== "symlink" ? { mode, modified: mtime } : {};
    const added = xattrs.size > 0 ? { xattrs } : {};
    this.#files.setAttributes(path, { ...ownerSet(uid, gid), ...more, ...added });
  }

  #finish(path: string, { type, mode, uid, gid, mtime, xattrs }: TarEntry): void {
    const own = type === "symlink" ? 0o777 : mode;
    const owner = ownerSet(uid, gid);
    this.#files.setAttributes(path, { mode: own, ...owner, modified: mtime, xattrs: xattrs.size > 0 ? xattrs : null });
  }

  /** Removes what is at the path. Returns true if a directory was left because the entry is a directory too. */
  #clear(path: string, entry: TarEntry): boolean {
    this.#refuseOtherKind(path, entry);
    const kind = this.#kindAt(path, false);
    if (kind === "directory" && entry.type === "directory") return true;
    if (kind !== null) told("unlinkat", path, () => remove(this.#files, path));
    for (const known of this.#directories.keys()) {
      if (kind !== null && (known === path || known.startsWith(`${path}/`))) this.#directories.delete(known);
    }
    return false;
  }

  #refuseOtherKind(path: string, { type }: TarEntry): void {
    const kind = this.#kindAt(path, false);
    if (!this.#keepKinds || kind === null || (kind === "directory") === (type === "directory")) return;
    throw refusedKind(bytesOf(path), kind === "directory", bytesOf(this.#into));
  }

  /** Null if nothing is there. */
  #kindAt(path: string, follow: boolean): string | null {
    try {
      return lookup(this.#files.mounts, path, follow, null).place?.inode.kind ?? null;
    } catch (error) {
      if (error instanceof FileError && error.code === "ENOENT") return null;
      throw error;
    }
  }

  #targetOf({ target }: TarEntry): string {
    return this.#pathOf(textOf(targetBelow(bytesOf(this.#into), target)));
  }

  #pathOf(name: string): string {
    return `${this.#into === "/" ? "" : this.#into}/${name}`;
  }
}

/** Removes a file, or a directory and everything in it, but nothing of another mount. */
function remove(files: MountedFiles, path: string): void {
  if (files.linkStatus(path).kind !== "directory") return files.remove(path);
  if (files.mounts.has(path)) throw new FileError("EBUSY", path);
  for (const name of files.list(path)) remove(files, `${path}/${name}`);
  files.removeDirectory(path);
}
