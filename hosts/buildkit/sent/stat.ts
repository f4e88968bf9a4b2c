// The entry of a tar as a client is told of a file (tonistiigi/fsutil, types/stat.proto): what `files/entry.ts` reads.

import { latin1Bytes, textOf } from "../../streams/tar/index.js";
import type { EntryType, TarEntry } from "../../streams/tar/index.js";
import { CHARACTER, DEVICE, DIRECTORY, PERMISSIONS, PIPE, SETGID, SETUID, STICKY, SYMLINK } from "../files/modes.js";
import type { Fields } from "../messages/codec.js";

/** Null for the root, which the client has already. */
export function statOf(entry: TarEntry): Fields | null {
  const path = textOf(entry.name.replace(/^(?:\.?\/)+/, "").replace(/\/+$/, ""));
  if (path === "" || path === ".") return null;
  return {
    path,
    mode: modeOf(entry),
    uid: entry.uid,
    gid: entry.gid,
    size: entry.size,
    modTime: String(entry.mtime),
    linkname: textOf(entry.target),
    devmajor: entry.major,
    devminor: entry.minor,
    xattrs: attributesOf(entry),
  };
}

const TYPES: Readonly<Record<EntryType, number>> = {
  file: 0,
  link: 0,
  symlink: SYMLINK,
  character: DEVICE + CHARACTER,
  block: DEVICE,
  directory: DIRECTORY,
  fifo: PIPE,
};

function modeOf({ type, mode }: TarEntry): number {
  const special = (mode & 0o4000 ? SETUID : 0) + (mode & 0o2000 ? SETGID : 0) + (mode & 0o1000 ? STICKY : 0);
  return TYPES[type] + special + (mode & PERMISSIONS);
}

function attributesOf({ xattrs }: TarEntry): Fields {
  return Object.fromEntries([...xattrs].map(([name, value]) => [textOf(name), latin1Bytes(value)]));
}
