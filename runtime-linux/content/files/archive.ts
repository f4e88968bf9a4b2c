// The bytes for the sources `archive` and `export`: files of a container as a tar (surface §2.13).

import * as fs from "node:fs";
import { pipeline, Readable } from "node:stream";
import { createDeflate, createGzip } from "node:zlib";
import type { replies, types } from "../../../hosts/shared/index.js";
import type { Wants } from "../../../hosts/streams/copying/index.js";
import { absolutePath, bytesOf, firstMember, textOf } from "../../../hosts/streams/tar/index.js";
import { O_PATH, type Kernel } from "../../kernel.js";
import { fileFailure } from "./file-failure.js";
import { pack } from "./pack.js";
import { openAt } from "./stat.js";
import { openView, type View, type Where } from "./view.js";
import { walk, type Found } from "./walk.js";

/** A path and everything below it. */
export function archiveOf({ at, compression }: replies.ArchiveSource, where: Where): AsyncIterable<Uint8Array> {
  return compressed(archived(at, where), compression);
}

/** A container's own files. The container need not be mounted elsewhere. */
export function exportOf({ container }: replies.ExportSource, { paths, kernel }: Where): AsyncIterable<Uint8Array> {
  return pack(walk(paths.rootfs(container)), kernel);
}

async function* archived({ view: wanted, path }: types.FileAt, where: Where): AsyncGenerator<Uint8Array> {
  const view = openView(wanted, where);
  try {
    yield* archiveIn(view, path, where.kernel);
  } finally {
    view.close();
  }
}

/** The same for a view that is open already. `wants`: see `CopySource`. */
export function archiveIn(view: View, path: string, kernel: Kernel, wants?: Wants): AsyncIterable<Uint8Array> {
  return pack(membersOf(view, bytesOf(absolutePath(path)), wants), kernel);
}

function compressed(bytes: AsyncIterable<Uint8Array>, how: replies.Compression): AsyncIterable<Uint8Array> {
  if (how === "none") return bytes;
  const transform = how === "gzip" ? createGzip() : createDeflate();
  // The transform passes on an error of the source.
  pipeline(Readable.from(copies(bytes)), transform, () => {});
  return transform;
}

/** A stream asks for more while it still holds the last piece, so each piece is copied. */
async function* copies(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) yield Buffer.from(piece);
}

async function* membersOf(view: View, path: string, wants?: Wants): AsyncGenerator<Found> {
  const fd = openAt(view, path, false);
  try {
    const stat = fs.fstatSync(fd, { bigint: true });
    const first = firstMember(path, stat.isDirectory());
    if (stat.isDirectory()) yield* below(view, path, fd, { name: first, path: pathOf(fd, "."), stat }, wants);
    else yield* alone(view, path, first);
  } finally {
    fs.closeSync(fd);
  }
}

/** Reads by way of the directory, because a link cannot be read through a descriptor of its own. */
async function* alone(view: View, path: string, name: string): AsyncGenerator<Found> {
  const slash = path.lastIndexOf("/");
  let parent: number;
  try {
    parent = view.open(path.slice(0, slash) || "/", O_PATH | fs.constants.O_DIRECTORY);
  } catch (error) {
    throw fileFailure(error, "lstat", path);
  }
  try {
    const at = pathOf(parent, path.slice(slash + 1));
    const stat = fs.lstatSync(at, { bigint: true, throwIfNoEntry: false });
    if (stat) yield { name, path: at, stat };
  } finally {
    fs.closeSync(parent);
  }
}

async function* below(
  view: View,
  path: string,
  fd: number,
  top: Found,
  wants: Wants = () => true,
): AsyncGenerator<Found> {
  yield top;
  const place = view.locate(path);
  const own = view.device();
  const isWanted = ({ name, stat }: Found): boolean => wants(textOf(name), stat.isDirectory());
  const enters = (found: Found): boolean =>
    isWanted(found) && (found.stat.dev === own || !isMade(found, `${place}/${found.name}`));
  for await (const found of walk(`/proc/self/fd/${fd}/.`, enters)) {
    if (isWanted(found)) yield { ...found, name: `${top.name}${found.name}` };
  }
}

/**
 * Files that the kernel or the runtime makes for a run are not the container's own. They are sent only if the client
 * asks for them by name.
 */
function isMade({ path }: Found, place: string): boolean {
  if (place.replace(/^\/+/, "") === "dev") return true;
  try {
    return KERNEL_FILES.has(fs.statfsSync(path).type);
  } catch {
    return false; // removed meanwhile
  }
}

function pathOf(fd: number, name: string): Buffer {
  return Buffer.from(`/proc/self/fd/${fd}/${name}`, "latin1");
}

/** proc, sysfs, cgroup, cgroup2, devpts, mqueue (linux/magic.h). */
const KERNEL_FILES = new Set([0x9fa0, 0x62656572, 0x27e0eb, 0x63677270, 0x1cd1, 0x19800202]);
