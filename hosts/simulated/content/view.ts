// A container's files as its processes see them, looked at from outside, whether the container runs or not.

import { refusedCall } from "../../shared/index.js";
import type { content, engine, types } from "../../shared/index.js";
import { absolutePath, followed, lastPart } from "../../streams/tar/index.js";
import type { Disk } from "../files/disk.js";
import { FileError, type FileKind } from "../files/file-system.js";
import { lengthOf, type Inode } from "../files/inode.js";
import { lookup, type MountTable, type Place } from "../files/lookup.js";
import type { MountedFiles } from "../files/mounted-files.js";
import { makeDirectory } from "../processes/spec.js";
import { ownerIn } from "./owner.js";

/** Where to look for containers' files. */
export interface Looks {
  disk: Disk;
  /** The files that the processes of a run see; null once the run is over. */
  filesOf(container: string, run: number): MountedFiles | null;
}

export function openView({ container, run, places }: types.View, { disk, filesOf }: Looks): MountedFiles {
  const files = run === undefined ? null : filesOf(container, run);
  if (files !== null) return files;
  for (const { source } of places) if (source.startsWith("/")) disk.makeDirectory(source);
  const mounts = places.map(({ destination, source, readOnly }) => ({
    ...{ destination, source, options: ["rbind", ...(readOnly ? ["ro"] : [])] },
  }));
  return told("open", container, () => disk.mountView(container, { mounts }));
}

/**
 * Returns the status of the file at a path. Throws `call`: ENOENT, or ENOTDIR if a part of the path is no directory.
 */
export function statIn({ view, path: given, follow }: types.FileAt, looks: Looks): engine.FileStat {
  const { mounts } = openView(view, looks);
  const path = absolutePath(given);
  const { inode, mount } = placeAt(mounts, path, follow);
  return {
    name: lastPart(path),
    size: BigInt(sizeOf(inode)),
    mode: modeOf(inode),
    modified: inode.modified,
    linkTarget: inode.kind === "symlink" ? locate(mounts, path) : "",
    place: [...mounts].find(([, one]) => one === mount)?.[0] ?? "/",
    readOnly: mount.readOnly,
  };
}

/** Its `st_size` (inode(7)). */
export function sizeOf({ kind, target, size }: Inode): number {
  return kind === "symlink" ? lengthOf(target) : kind === "directory" ? BLOCK : size;
}

/** Its `st_mode` (inode(7)). */
export function modeOf({ kind, mode }: Inode): number {
  return TYPE_BITS[kind] | mode;
}

/** Makes a directory and returns its status. Throws `call` with ENOTDIR if a part of the path is no directory. */
export function makeDirectoryIn({ at, owner }: content.NewDirectory, looks: Looks): engine.FileStat {
  const { view, path: given } = at;
  const files = openView(view, looks);
  const who = owner === undefined ? null : ownerIn(files, owner);
  const path = locate(files.mounts, absolutePath(given));
  told("lstat", path, () => makeDirectory(files, path, who));
  return statIn({ view, path, follow: false }, looks);
}

/** Finds the file at an absolute path. */
export function placeAt(mounts: MountTable, path: string, follow: boolean): Place {
  return told("lstat", path, () => {
    const { place } = lookup(mounts, path, follow, null);
    if (place === null) throw new FileError("ENOENT", path);
    return place;
  });
}

/** Resolves an absolute path. Parts that do not exist are kept by name. */
export function locate(mounts: MountTable, path: string): string {
  return followed(path, (directory, name) => {
    try {
      const inode = lookup(mounts, `${directory}/${name}`, false, null).place?.inode;
      return inode?.kind === "symlink" ? inode.target : undefined;
    } catch {
      return undefined;
    }
  });
}

/** Failures report the file's path in the container. */
export function told<T>(call: string, path: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw refusedCall(error, call, path);
  }
}

/** inode(7) */
const TYPE_BITS: Record<FileKind, number> = {
  ...{ file: 0o100000, directory: 0o040000, symlink: 0o120000 },
  ...{ character: 0o020000, block: 0o060000, fifo: 0o010000, socket: 0o140000 },
};
/** The size that ext4 reports for a small directory. */
const BLOCK = 4096;
