// Responses to `archive` and `export`: a container's files as a tar (surface §2.13).

import { Gzip, Zlib } from "fflate";
import type { replies } from "../../shared/index.js";
import type { Wants } from "../../streams/copying/index.js";
import {
  absolutePath,
  bytesOf,
  endOfArchive,
  firstMember,
  headerOf,
  paddingOf,
  textOf,
} from "../../streams/tar/index.js";
import type { Disk } from "../files/disk.js";
import { contentOf, type Inode } from "../files/inode.js";
import type { MountTable } from "../files/lookup.js";
import type { MountedFiles } from "../files/mounted-files.js";
import { byBytes } from "./archives.js";
import { entryOf } from "./commit.js";
import { openView, placeAt, type Looks } from "./view.js";

/** Sends a path and everything below it. */
export function archiveOf({ at, compression }: replies.ArchiveSource, looks: Looks): AsyncIterable<Uint8Array> {
  return compressed(archived(at, looks), compression);
}

/** Sends all files of a container. */
export async function* exportOf({ container, chain }: replies.ExportSource, disk: Disk): AsyncGenerator<Uint8Array> {
  const packer = new Packer(disk.mountsOf(container) ?? new Map());
  const root = disk.containers.get(container)?.tree.root ?? disk.layers.image(chain ?? null);
  yield* packer.below(root, "/", "");
  yield endOfArchive();
}

async function* archived({ view, path: given }: replies.ArchiveSource["at"], looks: Looks): AsyncGenerator<Uint8Array> {
  yield* archiveIn(openView(view, looks), given);
}

/** The same for a view that is open already. `wants`: see `CopySource`. */
export async function* archiveIn(
  { mounts }: MountedFiles,
  given: string,
  wants: Wants = () => true,
): AsyncGenerator<Uint8Array> {
  const path = absolutePath(given);
  const place = placeAt(mounts, path, false);
  const first = firstMember(bytesOf(path), place.inode.kind === "directory");
  const packer = new Packer(mounts, (name, isDirectory) => wants(textOf(name.slice(first.length)), isDirectory));
  yield* packer.file(place.inode, first);
  if (place.inode.kind === "directory") yield* packer.below(place.inode, place.path, first);
  yield endOfArchive();
}

class Packer {
  readonly #mounts: MountTable;
  readonly #wants: Wants;
  /** The first name of each file that has several names. */
  readonly #names = new Map<Inode, string>();

  /** `wants`: see `CopySource`; names are bytes, without a slash at their ends. */
  constructor(mounts: MountTable, wants: Wants = () => true) {
    this.#mounts = mounts;
    this.#wants = wants;
  }

  /** Sends the entries of a directory. `path` is its path in the container; names in the tar begin with `prefix`. */
  *below(directory: Inode, path: string, prefix: string): Generator<Uint8Array> {
    for (const [name, file] of byBytes(directory.entries)) {
      const at = path === "/" ? `/${name}` : `${path}/${name}`;
      const mount = this.#mounts.get(at);
      const there = mount?.root ?? file;
      if (!this.#wants(`${prefix}${bytesOf(name)}`, there.kind === "directory")) continue;
      const full = `${prefix}${bytesOf(name)}${there.kind === "directory" ? "/" : ""}`;
      yield* this.file(there, full);
      // Files that the kernel or the runtime makes for a run do not belong to the container.
      const isMade = mount && (at === "/dev" || MADE.has(mount.type));
      if (there.kind === "directory" && !isMade) yield* this.below(there, at, full);
    }
  }

  *file(file: Inode, name: string): Generator<Uint8Array> {
    if (file.kind === "socket") return; // no tar has one
    const entry = entryOf(file, name);
    // Docker's tars hold whole seconds. A fraction would need an extra header for each file.
    entry.mtime -= ((entry.mtime % SECOND) + SECOND) % SECOND;
    const first = file.links > 1 && file.kind !== "directory" ? this.#names.get(file) : undefined;
    if (first !== undefined) return yield headerOf({ ...entry, type: "link", target: first, size: 0 });
    this.#names.set(file, name);
    yield headerOf(entry);
    if (entry.size === 0) return;
    const bytes = contentOf(file);
    for (let at = 0; at < bytes.length; at += PIECE) yield bytes.slice(at, at + PIECE);
    yield paddingOf(entry.size);
  }
}

async function* compressed(pieces: AsyncIterable<Uint8Array>, how: replies.Compression): AsyncGenerator<Uint8Array> {
  if (how === "none") return yield* pieces;
  const ready: Uint8Array[] = [];
  const coder = how === "gzip" ? new Gzip() : new Zlib();
  coder.ondata = (bytes) => void ready.push(bytes);
  for await (const piece of pieces) {
    coder.push(piece);
    yield* ready.splice(0);
  }
  coder.push(new Uint8Array(0), true);
  yield* ready.splice(0);
}

const SECOND = 1_000_000_000n;
const PIECE = 256 << 10;
const MADE = new Set(["proc", "sysfs", "cgroup", "cgroup2", "devpts", "mqueue"]);
